import { Anchor, SimpleGrid, Text } from '@mantine/core';
import { Link } from 'wouter';
import { FigureTile } from '../../components/elements.js';
import {
  formatCompact,
  formatCount,
  formatShare,
  formatUsd,
  unknownValue,
  spendParts,
} from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import {
  type Change,
  errorRate,
  errorRates,
  isCompared,
  pointsChange,
  providerErrors,
  relativeChange,
  requestsHref,
  type Shown,
  type UsageSeries,
} from './series.js';

const text = texts.overview;

interface Tile {
  readonly label: string;
  readonly value: string;
  readonly change: Change | null;
  /** What is good: more or less of it; absent: neither. */
  readonly better?: 'up' | 'down';
  readonly detail: string;
  /** The figure over time. */
  readonly history: readonly (number | null)[];
  /** The requests that the figure is of. */
  readonly filters: Readonly<Record<string, string>>;
}

/** The figures of the range, each a link to its requests, with their change against the time before. */
export const Tiles = ({ series, span }: { series: UsageSeries; span: Shown }) => (
  <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
    {[...countTiles(series), ...latencyTiles(series)].map((tile) => (
      <TileBox
        key={tile.label}
        tile={isCompared(series.previous.requests) ? tile : { ...tile, change: null }}
        span={span}
      />
    ))}
  </SimpleGrid>
);

const tokensOf = ({ promptTokens, completionTokens }: UsageSeries['totals']): number =>
  promptTokens + completionTokens;

const beforeOf = (before: number, format: (value: number) => string): string =>
  before === 0 ? '' : fill(text.beforeCount, { count: format(before) });

function countTiles(series: UsageSeries): Tile[] {
  const { totals, previous, points } = series;
  return [
    {
      label: texts.navigation.requests,
      value: formatCompact(totals.requests),
      change: relativeChange(totals.requests, previous.requests),
      detail: beforeOf(previous.requests, formatCompact),
      history: points.requests,
      filters: {},
    },
    {
      label: texts.common.spend,
      value: formatUsd(totals.costUsd),
      change: relativeChange(totals.costUsd, previous.costUsd),
      better: 'down',
      detail: [beforeOf(previous.costUsd, formatUsd), ...spendParts(totals)]
        .filter((part) => part !== '')
        .join(' · '),
      history: points.costUsd,
      filters: { sort: 'cost' },
    },
    {
      label: texts.common.tokens,
      value: formatCompact(tokensOf(totals)),
      change: relativeChange(tokensOf(totals), tokensOf(previous)),
      detail: fill(text.inOut, {
        prompt: formatCompact(totals.promptTokens),
        completion: formatCompact(totals.completionTokens),
      }),
      history: points.promptTokens.map((count, at) => count + (points.completionTokens[at] ?? 0)),
      filters: { sort: 'tokens' },
    },
    {
      label: text.errorRate,
      value: formatShare(errorRate(totals)),
      change: pointsChange(errorRate(totals), errorRate(previous)),
      better: 'down',
      detail: fill(text.failedCount, {
        provider: formatCount(providerErrors(totals)),
        refused: formatCount(totals.refused),
        client: formatCount(totals.clientClosed),
      }),
      history: errorRates(series),
      filters: { failedBy: 'provider' },
    },
  ];
}

const latencyTiles = ({ totals, previous, points }: UsageSeries): Tile[] =>
  (['latency', 'ttft'] as const).map((what) => ({
    label: fill(text.tileOf, { title: texts.requests[what] }),
    history: points[`${what}P50Ms`],
    value: formatMs(totals[`${what}P50Ms`]),
    change: relativeChange(totals[`${what}P50Ms`], previous[`${what}P50Ms`]),
    better: 'down',
    detail: fill(text.p95, { time: formatMs(totals[`${what}P95Ms`]) }),
    filters: { sort: 'latency', failed: 'false' },
  }));

function TileBox({ tile, span }: { tile: Tile; span: Shown }) {
  const { label, value, change, better, detail, filters, history } = tile;
  return (
    <Anchor
      component={Link}
      href={requestsHref(filters, span)}
      underline="never"
      c="inherit"
      display="grid"
    >
      <FigureTile
        label={label}
        value={value}
        detail={value === unknownValue ? text.noneMeasured : detail}
        history={history}
      >
        {change === null ? null : (
          <Text size="xs" fw={600} className="figures" c={colorOf(change, better)}>
            {change.text === 'new' ? change.text : fill(text.change, { change: change.text })}
          </Text>
        )}
      </FigureTile>
    </Anchor>
  );
}

function colorOf({ direction, text: words }: Change, better: Tile['better']): string {
  if (words === 'new' || direction === 'same' || better === undefined) return 'dimmed';
  return direction === better ? 'var(--good-color)' : 'var(--mantine-color-error)';
}
