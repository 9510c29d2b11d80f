import { Slider, Text } from '@mantine/core';
import { texts } from '../texts/texts.js';
import { Hint } from './elements.js';

/** What quality, cost and latency count. */
export type Weights = Record<'quality' | 'cost' | 'latency', number>;

const names = ['quality', 'cost', 'latency'] as const;

interface WeightSlidersProps {
  weights: Weights;
  max: number;
  step: number;
  /** In percent, shown beside the names. */
  shares?: Weights;
  change: (weights: Weights) => void;
}

/** A slider for each weight. */
export const WeightSliders = ({ weights, shares, change, ...ends }: WeightSlidersProps) =>
  names.map((name) => (
    <div key={name}>
      <Text size="sm" className="figures">
        {texts.common[name]} {shares ? <Hint span>{shares[name]}%</Hint> : null}
      </Text>
      <Slider
        min={0}
        {...ends}
        thumbLabel={texts.common[name]}
        value={weights[name]}
        onChange={(weight) => change({ ...weights, [name]: weight })}
      />
    </div>
  ));
