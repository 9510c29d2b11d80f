import { Box, Text } from '@mantine/core';
import { formatUsd } from '../../format/numbers.js';
import { fill, texts } from '../../texts/texts.js';
import { type Dot, scatterOf, type WeighedCandidate } from './scatter.js';

const text = texts.requests.detail;
const [width, height] = [520, 280];
const inner = { left: 44, right: 16, top: 12, bottom: 36 };
const toX = (share: number): number => inner.left + share * (width - inner.left - inner.right);
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
  return (
    <Box>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        width="100%"
        role="img"
        aria-label={text.scatter}
        className="scatter"
      >
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
  isAnswered: boolean;
  isWinner: boolean;
}

function DotMark({ dot, isAnswered, isWinner }: DotProps) {
  const { candidate, x, y, low, high, labelAt } = dot;
  const isRight = x > 0.6;
  const role = [isAnswered ? text.answered : '', isWinner ? text.wouldWin : '']
    .filter((word) => word !== '')
    .join(', ');
  const name = role === '' ? candidate.label : `${candidate.label} (${role})`;
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
