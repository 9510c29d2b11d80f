import { SegmentedControl, Stack, Text, Group } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Empty, First, Loaded } from '../../components/loaded.js';
import { Page, Panel, useIsNarrow } from '../../components/page.js';
import { useParameters } from '../../components/search-parameters.js';
import { formatInstant, formatAgo } from '../../format/times.js';
import { useAccount } from '../../session/session.js';
import { fill, texts } from '../../texts/texts.js';
import { OverviewCharts } from './charts.js';
import { ModelShares } from './model-shares.js';
import {
  defaultRange,
  type Range,
  rangeOf,
  ranges,
  refreshMs,
  type Shown,
  spanQuery,
  type UsageSeries,
  requestsHref,
} from './series.js';
import { SavingsPanel, useSavings } from './savings.js';
import { Tiles } from './tiles.js';
import { read } from '../../api/queries.js';
import { optionsOf, Note, PageLink } from '../../components/elements.js';
import type { Schema } from '../../api/schema.js';
import { type Column, figure, ListTable, column, minor } from '../../components/list-table.js';
import { reasonOf } from '../../format/outcomes.js';
import { formatCount, unknownValue } from '../../format/numbers.js';

const text = texts.overview;

/** Stands where there were no requests: what to do, or where to look. */
function FirstRun({ range }: { range: Range }) {
  const [, change] = useParameters();
  return (
    <Empty
      title={text.empty}
      hint={text.emptyHint}
      ways={[
        [text.connect, '/connect'],
        [texts.common.openPlayground, '/playground'],
        ...(range === '90d' ? [] : [[text.lookBack, () => change({ range: '90d' })] as const]),
      ]}
    />
  );
}

/** The page `/`: what the gateway did lately. */
export default function OverviewPage() {
  const [parameters, change] = useParameters();
  const isAdmin = useAccount().role === 'admin';
  const account = isAdmin && parameters.account !== 'own' ? 'all' : undefined;
  const asked = parameters.range;
  const day = useSeries('24h', account, asked === undefined);
  const range = asked === undefined ? defaultRange(day.data) : rangeOf(asked);
  const span = useMemo(() => ({ range, account }), [range, account]);
  const query = useSeries(range, account);
  const beside = { failures: useFailures(span), savings: useSavings(span) };
  return (
    <Page
      title={texts.navigation.overview}
      lead={query.data ? fill(text.lead, spanOf(query.data)) : text.waiting}
      actions={
        <>
          {isAdmin ? (
            <SegmentedControl
              size="xs"
              aria-label={text.whose}
              value={account ?? 'own'}
              onChange={(value) => change({ account: value === 'own' ? value : null })}
              data={optionsOf({ all: texts.common.allAccounts, own: texts.common.mine })}
            />
          ) : null}
          <SegmentedControl
            size="xs"
            aria-label={text.range}
            value={range}
            onChange={(value) => change({ range: value })}
            data={Object.keys(ranges).map((value) => ({ value, label: value }))}
          />
        </>
      }
    >
      <Loaded query={query} lines={8}>
        {(series) => <Content series={series} span={span} {...beside} />}
      </Loaded>
    </Page>
  );
}

const spanOf = ({ from, to }: UsageSeries) => ({
  from: formatInstant(from),
  to: formatInstant(Math.min(Date.parse(to), Date.now())),
});

/** The figures of a range up to now, asked for again and again. */
const useSeries = (range: Range, account: string | undefined, enabled = true) =>
  useQuery({
    queryKey: ['usage-series', range, account],
    queryFn: () =>
      read('/api/v1/usage/series', { query: { ...spanQuery({ range, account }), by: 'model' } }),
    enabled,
    refetchInterval: refreshMs(range),
    placeholderData: keepPreviousData,
  });

interface ContentProps {
  series: UsageSeries;
  span: Shown;
  failures: ReturnType<typeof useFailures>;
  savings: ReturnType<typeof useSavings>;
}

function Content({ series, span, failures, savings }: ContentProps) {
  const isQuiet = series.totals.requests === 0;
  if (isQuiet && series.previous.requests === 0) return <FirstRun range={span.range} />;
  return (
    <Stack gap="lg">
      <Tiles series={series} span={span} />
      {isQuiet ? <Text c="dimmed">{text.quiet}</Text> : null}
      {series.totals.errors === 0 ? null : <Failures query={failures} span={span} />}
      <OverviewCharts series={series} span={span} />
      <ModelShares series={series} span={span} />
      <SavingsPanel query={savings} />
    </Stack>
  );
}

const shownKeys = 3;

type Failure = Schema<'RequestFailuresResponse'>['items'][number];

const useFailures = (span: Shown) =>
  useQuery({
    queryKey: ['request-failures', span],
    queryFn: () => read('/api/v1/requests/failures', { query: spanQuery(span) }),
    refetchInterval: Math.max(15_000, refreshMs(span.range)),
    placeholderData: keepPreviousData,
  });

/** Why requests failed, by code and provider, each with links to its requests. */
function Failures({ query, span }: { query: ReturnType<typeof useFailures>; span: Shown }) {
  const count = useIsNarrow() ? 4 : 6;
  return (
    <Panel title={text.failures} lead={text.failuresLead}>
      <Loaded query={query} lines={3}>
        {({ items }) => (
          <First items={items} count={count} label={text.allFailures}>
            {(rows) => (
              <ListTable
                label={text.failures}
                columns={columnsOf(span)}
                rows={rows}
                keyOf={({ code, provider }) => `${code} ${provider ?? ''}`}
                minWidth={820}
                isSlim
                fz="xs"
                verticalSpacing={4}
                empty={<Note>{text.noFailures}</Note>}
              />
            )}
          </First>
        )}
      </Loaded>
    </Panel>
  );
}

function columnsOf(span: Shown): readonly Column<Failure>[] {
  const hrefOf = (
    { code, provider }: Failure,
    more: Readonly<Record<string, string | null>> = {},
  ) => requestsHref({ code, provider, ...more }, span);
  return [
    column(texts.common.reason, (failure) => (
      <>
        <PageLink href={hrefOf(failure)} size="xs" fw={600}>
          {reasonOf(failure.code)}
        </PageLink>
        {failure.failedBy === 'client' ? null : (
          <Note>{texts.requests.outcomes[failure.failedBy]}</Note>
        )}
      </>
    )),
    minor(texts.common.provider, ({ provider }) => provider ?? unknownValue),
    figure(texts.navigation.requests, ({ requests }) => formatCount(requests)),
    minor(text.keys, (failure) => (
      <Group gap={6}>
        {failure.keys.slice(0, shownKeys).map(({ keyId, keyName, requests }) =>
          keyId === null ? (
            <Text key="" size="xs">
              {texts.requests.browser} {formatCount(requests)}
            </Text>
          ) : (
            <PageLink key={keyId} size="xs" href={hrefOf(failure, { key: keyId })}>
              {keyName ?? keyId} {formatCount(requests)}
            </PageLink>
          ),
        )}
        {failure.keyCount > shownKeys ? <Note>+{failure.keyCount - shownKeys}</Note> : null}
      </Group>
    )),
    column(text.last, ({ last }) => (
      <PageLink href={`/requests/${last.id}`} size="xs" c="inherit" underline="hover">
        <Text span c="dimmed" inherit className="one-line">
          {formatAgo(last.at)}:{' '}
        </Text>
        <Text span inherit lineClamp={2} className="text-plain">
          {last.error ?? text.noText}
        </Text>
      </PageLink>
    )),
  ];
}
