import { Group } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { Swatch } from '../../components/elements.js';
import { type NamePlace, placeNames } from '../../components/place-names.js';
import { axisLabel, formatQuality, formatUsd } from '../../format/numbers.js';
import { shortNames } from '../../format/outcomes.js';
import { fill, texts } from '../../texts/texts.js';
import {
  type Evaluation,
  type Frame,
  layOut,
  type PlotLayout,
  type PlotPoint,
} from './plot-layout.js';

const text = texts.preferences;
const smallest = 300;
const height = 360;
const colour = {
  trained: 'var(--mantine-color-blue-filled)',
  shipped: 'var(--mantine-color-teal-filled)',
  hull: 'var(--mantine-color-dimmed)',
  single: 'var(--mantine-color-orange-filled)',
  grid: 'var(--mantine-color-default-border)',
};

/** Cost and score: the trained router's curve with its interval, single models, and their hull. */
export function CostQualityPlot({ evaluation }: { evaluation: Evaluation }) {
  const { ref, width } = useElementSize();
  const frame = {
    width: Math.max(smallest, width),
    height,
    left: 52,
    right: 36,
    top: 12,
    bottom: 44,
  };
  const layout = layOut(evaluation, frame);
  const names = shortNames(layout.singles.map(({ label: name }) => name));
  const places = placeNames(
    layout.singles.map(({ x, y }, at) => ({ x, y, text: names[at] ?? '' })),
    frame,
  );
  const best = [...evaluation.singles].sort((a, b) => b.score.value - a.score.value)[0];
  const label = fill(text.plotLabel, {
    trained: formatQuality(evaluation.trained[0]?.score.value),
    model: best?.model ?? '',
    single: formatQuality(best?.score.value),
  });
  return (
    <div ref={ref}>
      <svg width={frame.width} height={height} role="img" aria-label={label}>
        <Axes layout={layout} frame={frame} />
        <path d={layout.trainedBand} fill={colour.trained} opacity={0.18} />
        <path d={layout.hull} fill="none" stroke={colour.hull} strokeDasharray="2 4" />
        <path
          d={layout.shipped}
          fill="none"
          stroke={colour.shipped}
          strokeDasharray="6 3"
          strokeWidth={2}
        />
        <path d={layout.trained} fill="none" stroke={colour.trained} strokeWidth={2.5} />
        {layout.singles.map((point, at) => (
          <Single key={point.label} point={point} name={names[at]} place={places[at]} />
        ))}
      </svg>
      <Legend />
    </div>
  );
}

function Axes({ layout: { cost, score }, frame }: { layout: PlotLayout; frame: Frame }) {
  const floor = frame.height - frame.bottom;
  return (
    <g fontSize={11} fill="var(--mantine-color-dimmed)" className="figures">
      {score.ticks.map((tick) => (
        <g key={tick}>
          <line
            x1={frame.left}
            x2={frame.width - frame.right}
            y1={score.at(tick)}
            y2={score.at(tick)}
            stroke={colour.grid}
          />
          <text x={frame.left - 8} y={score.at(tick) + 4} textAnchor="end">
            {axisLabel(formatQuality(tick))}
          </text>
        </g>
      ))}
      {cost.ticks.map((tick) => (
        <text key={tick} x={cost.at(tick)} y={floor + 18} textAnchor="middle">
          {formatUsd(tick)}
        </text>
      ))}
      <text
        x={(frame.left + frame.width - frame.right) / 2}
        y={frame.height - 6}
        textAnchor="middle"
      >
        {text.plotCost}
      </text>
      <text transform={`translate(12 ${(frame.top + floor) / 2}) rotate(-90)`} textAnchor="middle">
        {text.plotScore}
      </text>
    </g>
  );
}

interface SingleProps {
  point: PlotPoint;
  name: string | undefined;
  place: NamePlace | undefined;
}

/** A model with its intervals and its name. */
const Single = ({ point: { label, x, y, left, right, top, bottom }, name, place }: SingleProps) => (
  <g>
    <path
      d={`M${left},${y}H${right}M${x},${top}V${bottom}`}
      stroke={colour.single}
      strokeWidth={1.5}
    />
    <circle cx={x} cy={y} r={4.5} fill={colour.single} />
    <text
      x={place?.x}
      y={place?.y}
      fontSize={12}
      fill="var(--mantine-color-text)"
      textAnchor={place?.anchor}
    >
      <title>{label}</title>
      {name}
    </text>
  </g>
);

const legend = [
  [colour.trained, text.legendTrained],
  [colour.shipped, text.legendShipped],
  [colour.single, text.legendSingle],
  [colour.hull, text.legendHull],
] as const;

const Legend = () => (
  <Group gap="md">
    {legend.map(([color, label]) => (
      <Swatch key={label} color={color}>
        {label}
      </Swatch>
    ))}
  </Group>
);
