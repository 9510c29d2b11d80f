import { SimpleGrid, Text } from '@mantine/core';
import { FigureTile } from '../../components/elements.js';
import {
  formatCompact,
  formatCount,
  formatShare,
  formatUsd,
  unknownValue,
} from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import {
  type Change,
  errorRate,
  pointsChange,
  relativeChange,
  type UsageSeries,
} from './series.js';

const text = texts.overview;

type Totals = UsageSeries['totals'];

interface Tile {
  readonly label: string;
  readonly value: string;
  readonly change: Change | null;
  /** What is good: more or less of it; absent: neither. */
  readonly better?: 'up' | 'down';
  readonly detail: string;
}

/** The figures of the range, with their change against the time before. */
export function Tiles({ totals, previous }: { totals: Totals; previous: Totals }) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
      {[...countTiles(totals, previous), ...latencyTiles(totals, previous)].map((tile) => (
        <TileBox key={tile.label} tile={tile} />
      ))}
    </SimpleGrid>
  );
}

const tokensOf = ({ promptTokens, completionTokens }: Totals): number =>
  promptTokens + completionTokens;

function countTiles(totals: Totals, previous: Totals): Tile[] {
  return [
    {
      label: text.requests,
      value: formatCompact(totals.requests),
      change: relativeChange(totals.requests, previous.requests),
      detail: fill(text.beforeCount, { count: formatCompact(previous.requests) }),
    },
    {
      label: text.spend,
      value: formatUsd(totals.costUsd),
      change: relativeChange(totals.costUsd, previous.costUsd),
      better: 'down',
      detail: fill(text.beforeCount, { count: formatUsd(previous.costUsd) }),
    },
    {
      label: text.tokens,
      value: formatCompact(tokensOf(totals)),
      change: relativeChange(tokensOf(totals), tokensOf(previous)),
      detail: fill(text.inOut, {
        prompt: formatCompact(totals.promptTokens),
        completion: formatCompact(totals.completionTokens),
      }),
    },
    {
      label: text.errorRate,
      value: formatShare(errorRate(totals)),
      change: pointsChange(errorRate(totals), errorRate(previous)),
      better: 'down',
      detail: fill(text.failedCount, { count: formatCount(totals.errors) }),
    },
  ];
}

const latencyTiles = (totals: Totals, previous: Totals): Tile[] =>
  (['latency', 'ttft'] as const).map((what) => ({
    label: text[what],
    value: formatMs(totals[`${what}P50Ms`]),
    change: relativeChange(totals[`${what}P50Ms`], previous[`${what}P50Ms`]),
    better: 'down',
    detail: fill(text.p95, { time: formatMs(totals[`${what}P95Ms`]) }),
  }));

function TileBox({ tile: { label, value, change, better, detail } }: { tile: Tile }) {
  return (
    <FigureTile
      label={label}
      value={value}
      detail={value === unknownValue ? text.noneMeasured : detail}
    >
      {change === null ? null : (
        <Text size="xs" fw={600} className="figures" c={colorOf(change, better)}>
          {fill(text.change, { change: change.text })}
        </Text>
      )}
    </FigureTile>
  );
}

function colorOf({ direction }: Change, better: Tile['better']): string {
  if (direction === 'same' || better === undefined) return 'dimmed';
  return direction === better ? 'var(--good-color)' : 'var(--bad-color)';
}
