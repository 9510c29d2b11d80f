import { Grid, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { read } from '../../api/queries.js';
import type { Schema } from '../../api/schema.js';
import { Hint, Note, PageLink } from '../../components/elements.js';
import { Loaded } from '../../components/loaded.js';
import { Panel } from '../../components/page.js';
import { formatCount, formatQuality, formatUsd } from '../../format/numbers.js';
import { fill, texts } from '../../texts/texts.js';
import { type Shown, spanQuery } from './series.js';

const text = texts.overview.savings;
/** It is asked for rarely: it counts whole days. */
const refreshSavingsMs = 5 * 60_000;

const color = {
  own: 'var(--mantine-primary-color-filled)',
  other: 'var(--mantine-color-dimmed)',
};
const interval = { stroke: 'var(--mantine-color-text)', strokeWidth: 2 };

type Savings = Schema<'SavingsResponse'>;
type Figure = NonNullable<Savings['spentUsd']>;

export const useSavings = (span: Shown) =>
  useQuery({
    queryKey: ['savings', span],
    queryFn: () => read('/api/v1/savings', { query: spanQuery(span) }),
    refetchInterval: refreshSavingsMs,
    placeholderData: keepPreviousData,
  });

/** What choosing has saved, with its interval, and what prompt caches have saved. */
export const SavingsPanel = ({ query }: { query: ReturnType<typeof useSavings> }) => (
  <Panel title={text.title}>
    <Loaded query={query} lines={3}>
      {(savings) =>
        savings.choices === 0 ? <NoChoices savings={savings} /> : <Saved {...savings} />
      }
    </Loaded>
  </Panel>
);

const NoChoices = ({ savings: { cacheSavedUsd } }: { savings: Savings }) => (
  <Stack gap={4}>
    <Text size="sm">{cacheSavedUsd === 0 ? text.nothing : cachesOf(cacheSavedUsd)}</Text>
    <Hint>
      {text.none} <PageLink href="/preferences">{text.preferences}</PageLink>
    </Hint>
  </Stack>
);

const Saved = ({ best, choices, spentUsd, summary, from, to, cacheSavedUsd }: Savings) => (
  <Stack gap="sm">
    <Text fw={600}>{sentenceOf(best?.savedUsd ?? null, best?.model ?? '')}</Text>
    <Stack gap={6} maw={720}>
      {best?.alwaysUsd && spentUsd ? (
        <Bars spent={spentUsd} always={best.alwaysUsd} model={best.model} />
      ) : null}
      {best ? <QualityRow {...best.qualityGivenUp} /> : null}
    </Stack>
    {cacheSavedUsd === 0 ? null : <Note>{cachesOf(cacheSavedUsd)}</Note>}
    <details>
      <summary>{text.how}</summary>
      <Text size="sm" mt={4}>
        {summary}
      </Text>
      <Note>
        {fill(text.basis, {
          count: formatCount(choices),
          days: [...new Set([from, to])].join(' to '),
        })}
      </Note>
    </details>
  </Stack>
);

/** What was saved, in one sentence; nothing is claimed where the interval holds 0. */
function sentenceOf(saved: Figure | null, model: string): string {
  if (saved === null) return text.unknown;
  if (saved.low > 0) return fill(text.saved, { usd: formatUsd(saved.value), model });
  if (saved.high < 0) return fill(text.costMore, { usd: formatUsd(-saved.value), model });
  return fill(saved.low === 0 && saved.high === 0 ? text.same : text.uncertain, { model });
}

const cachesOf = (usd: number): string =>
  fill(usd < 0 ? text.cachesCost : text.cachesSaved, { usd: formatUsd(Math.abs(usd)) });

/** How much of quality is given up: a point and its interval on a line with 0 in the middle. */
function QualityRow({ value, low, high }: Figure) {
  const wordsOf = (points: number): string =>
    fill(points < 0 ? text.higher : text.lower, { points: formatQuality(Math.abs(points)) });
  const most = Math.max(0.01, Math.abs(low), Math.abs(high));
  const x = (points: number): string => `${50 - (48 * points) / most}%`;
  return (
    <Row
      label={text.quality}
      value={wordsOf(value)}
      interval={fill(texts.common.interval, { low: wordsOf(high), high: wordsOf(low) })}
    >
      <line x1="50%" x2="50%" y1={0} y2={18} stroke={color.other} />
      <line x1={x(high)} x2={x(low)} y1={9} y2={9} {...interval} />
      <circle cx={x(value)} cy={9} r={5} fill={color.own} />
    </Row>
  );
}

interface RowProps {
  label: string;
  value: string;
  interval?: string;
  children: ReactNode;
}

const Row = ({ label, value, interval, children }: RowProps) => (
  <Grid align="center" fz="sm">
    <Grid.Col span={{ base: 12, sm: 4 }} className="text-plain">
      {label}
    </Grid.Col>
    <Grid.Col span={{ base: 7, sm: 5 }}>
      <svg width="100%" height={18} display="block" aria-hidden>
        {children}
      </svg>
    </Grid.Col>
    <Grid.Col span={{ base: 5, sm: 3 }} className="figures">
      {value}
      {interval === undefined ? null : <Note>{interval}</Note>}
    </Grid.Col>
  </Grid>
);

/** Amounts as bars from 0, each with its 95 % interval as a line, which the summary has in figures. */
function Bars({ spent, always, model }: { spent: Figure; always: Figure; model: string }) {
  const most = Math.max(spent.high, spent.value, always.high, always.value, 1e-9);
  const percent = (usd: number): string => `${((100 * Math.max(0, usd)) / most).toFixed(2)}%`;
  const rows = [
    [text.spent, spent, color.own, 1],
    [fill(text.always, { model }), always, color.other, 0.55],
  ] as const;
  return rows.map(([label, { value, low, high }, shade, opacity]) => (
    <Row key={label} label={label} value={formatUsd(value)}>
      <rect width={percent(value)} height={18} rx={3} fill={shade} opacity={opacity} />
      <line x1={percent(low)} x2={percent(high)} y1={9} y2={9} {...interval} />
    </Row>
  ));
}
