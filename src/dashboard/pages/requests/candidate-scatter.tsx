import { Box, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { formatUsd } from '../../format/numbers.js';
import { fill, texts } from '../../texts/texts.js';
import { type Dot, scatterOf, type WeighedCandidate } from './scatter.js';

const text = texts.requests.detail;
const height = 280;
/** Narrower than this, labels are shortened. */
const narrow = 460;
const inner = { left: 36, right: 16, top: 12, bottom: 36 };
const toY = (share: number): number =>
  height - inner.bottom - share * (height - inner.top - inner.bottom);

interface ScatterProps {
  candidates: readonly WeighedCandidate[];
  /** The label of who answered. */
  answered: string;
  /** The label of who would win; null: as it was. */
  winner: string | null;
}

/** Candidates by expected cost and predicted quality, with intervals. */
export function CandidateScatter({ candidates, answered, winner }: ScatterProps) {
  const { dots, costs, qualities, unknown } = scatterOf(candidates);
  const { ref, width } = useElementSize();
  const toX = (share: number): number =>
    inner.left + share * Math.max(0, width - inner.left - inner.right);
  return (
    <Box ref={ref}>
      <svg width={width} height={height} role="img" aria-label={text.scatter} className="scatter">
        {qualities.map(({ value, at }) => (
          <g key={value}>
            <line x1={toX(0)} x2={toX(1)} y1={toY(at)} y2={toY(at)} className="grid" />
            <text x={toX(0) - 6} y={toY(at) + 4} textAnchor="end">
              {Math.round(value * 100)}
            </text>
          </g>
        ))}
        {costs.map(({ value, at }) => (
          <text key={value} x={toX(at)} y={height - 18} textAnchor="middle">
            {formatUsd(value)}
          </text>
        ))}
        <text x={toX(1)} y={height - 3} textAnchor="end">
          {text.expectedCost}
        </text>
        {dots.map((dot) => (
          <DotMark
            key={dot.candidate.label}
            dot={dot}
            toX={toX}
            isNarrow={width < narrow}
            isAnswered={dot.candidate.label === answered}
            isWinner={dot.candidate.label === winner}
          />
        ))}
      </svg>
      {unknown.length === 0 ? null : (
        <Text size="xs" c="dimmed">
          {fill(text.unknownFigures, { models: unknown.map(({ label }) => label).join(', ') })}
        </Text>
      )}
    </Box>
  );
}

interface DotProps {
  dot: Dot;
  toX: (share: number) => number;
  /** Models are named without their providers. */
  isNarrow: boolean;
  isAnswered: boolean;
  isWinner: boolean;
}

function DotMark({ dot, toX, isNarrow, isAnswered, isWinner }: DotProps) {
  const { candidate, x, y, low, high, labelAt } = dot;
  const isRight = x > 0.6;
  const role = [isAnswered ? text.answered : '', isWinner ? text.wouldWin : '']
    .filter((word) => word !== '')
    .join(', ');
  const label = isNarrow
    ? candidate.label.slice(candidate.label.lastIndexOf('/') + 1)
    : candidate.label;
  const name = role === '' ? label : `${label} (${role})`;
  return (
    <g className={isWinner ? 'dot winner' : isAnswered ? 'dot answered' : 'dot'}>
      <line x1={toX(x)} x2={toX(x)} y1={toY(low)} y2={toY(high)} />
      <circle cx={toX(x)} cy={toY(y)} r={isAnswered || isWinner ? 7 : 5} />
      <text
        x={toX(x) + (isRight ? -10 : 10)}
        y={toY(labelAt) - 8}
        textAnchor={isRight ? 'end' : 'start'}
      >
        {name}
      </text>
    </g>
  );
}
