import { Group } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { Swatch } from '../../components/elements.js';
import { ScatterPlot } from '../../components/scatter-plot.js';
import { axisLabel, formatQuality, formatUsd } from '../../format/numbers.js';
import { fill, texts } from '../../texts/texts.js';
import { type Evaluation, layOut } from './plot-layout.js';

const text = texts.preferences;
const smallest = 300;
const room = { height: 360, left: 52, right: 36, top: 12, bottom: 44 };
const color = {
  trained: 'var(--mantine-color-blue-filled)',
  shipped: 'var(--mantine-color-teal-filled)',
  hull: 'var(--mantine-color-dimmed)',
  single: 'var(--mantine-color-orange-filled)',
};

/** Cost and score: the trained router's curve with its interval, single models, and their hull. */
export function CostQualityPlot({ evaluation }: { evaluation: Evaluation }) {
  const { ref, width } = useElementSize();
  const frame = { ...room, width: Math.max(smallest, width) };
  const { cost, score, hull, shipped, trained, trainedBand } = layOut(evaluation, frame);
  const [best] = [...evaluation.singles].sort((a, b) => b.score.value - a.score.value);
  return (
    <div ref={ref}>
      <ScatterPlot
        label={fill(text.plotLabel, {
          trained: formatQuality(evaluation.trained[0]?.score.value),
          model: best?.model ?? '',
          single: formatQuality(best?.score.value),
        })}
        frame={frame}
        quality={{ ...score, wordsOf: (value) => axisLabel(formatQuality(value)) }}
        cost={{ ...cost, wordsOf: formatUsd }}
        costTitle={text.plotCost}
        points={evaluation.singles.map((one) => ({
          ...{ label: one.model, cost: one.cost, quality: one.score },
          color: color.single,
        }))}
      >
        <text
          transform={`translate(12 ${(frame.top + frame.height - frame.bottom) / 2}) rotate(-90)`}
          textAnchor="middle"
        >
          {text.plotScore}
        </text>
        <path d={trainedBand} fill={color.trained} opacity={0.18} />
        <g fill="none" strokeWidth={2}>
          <path d={hull} stroke={color.hull} strokeWidth={1} strokeDasharray="2 4" />
          <path d={shipped} stroke={color.shipped} strokeDasharray="6 3" />
          <path d={trained} stroke={color.trained} strokeWidth={2.5} />
        </g>
      </ScatterPlot>
      <Group gap="md">
        {legend.map(([of, label]) => (
          <Swatch key={label} color={of}>
            {label}
          </Swatch>
        ))}
      </Group>
    </div>
  );
}

const legend = [
  [color.trained, text.legendTrained],
  [color.shipped, text.legendShipped],
  [color.single, text.legendSingle],
  [color.hull, text.legendHull],
] as const;
