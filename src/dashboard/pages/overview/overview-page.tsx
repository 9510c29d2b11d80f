import { Button, SegmentedControl, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { Empty, Loaded } from '../../components/loaded.js';
import { Page } from '../../components/page.js';
import { useParameters } from '../../components/search-parameters.js';
import { formatInstant } from '../../format/times.js';
import { useAccount } from '../../session/session.js';
import { fill, texts } from '../../texts/texts.js';
import { OverviewCharts } from './charts.js';
import { Failures } from './failures.js';
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
} from './series.js';
import { SavingsPanel } from './savings.js';
import { Tiles } from './tiles.js';
import { read } from '../../api/queries.js';
import { optionsOf } from '../../components/elements.js';

const text = texts.overview;

/** Stands where there were no requests: what to do, or where to look. */
function FirstRun({ range }: { range: Range }) {
  const [, change] = useParameters();
  return (
    <Empty
      title={text.empty}
      hint={text.emptyHint}
      actions={
        <>
          <Button component={Link} href="/connect">
            {text.connect}
          </Button>
          <Button component={Link} href="/playground" variant="default">
            {text.tryModels}
          </Button>
          {range === '90d' ? null : (
            <Button variant="subtle" onClick={() => change({ range: '90d' })}>
              {text.lookBack}
            </Button>
          )}
        </>
      }
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
  const query = useSeries(range, account);
  return (
    <Page
      title={text.title}
      lead={query.data ? fill(text.lead, spanOf(query.data)) : text.waiting}
      actions={
        <>
          {isAdmin ? (
            <SegmentedControl
              size="xs"
              aria-label={text.whose}
              value={account ?? 'own'}
              onChange={(value) => change({ account: value === 'own' ? value : null })}
              data={optionsOf({ all: text.everybody, own: text.own })}
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
        {(series) => <Content series={series} range={range} account={account} />}
      </Loaded>
    </Page>
  );
}

const spanOf = ({ from, to }: UsageSeries) => ({
  from: formatInstant(from),
  to: formatInstant(Math.min(Date.parse(to), Date.now())),
});

/** The figures of a range up to now, asked for again and again. */
function useSeries(range: Range, account: string | undefined, enabled = true) {
  return useQuery({
    queryKey: ['usage-series', range, account],
    queryFn: () =>
      read('/api/v1/usage/series', { query: { ...spanQuery({ range, account }), by: 'model' } }),
    enabled,
    refetchInterval: refreshMs(range),
    placeholderData: keepPreviousData,
  });
}

function Content({ series, range, account }: Shown & { series: UsageSeries }) {
  const span = useMemo(() => ({ range, account }), [range, account]);
  const isQuiet = series.totals.requests === 0;
  if (isQuiet && series.previous.requests === 0) return <FirstRun range={range} />;
  return (
    <Stack gap="lg">
      <Tiles series={series} span={span} />
      {isQuiet ? <Text c="dimmed">{text.quiet}</Text> : null}
      {series.totals.errors === 0 ? null : <Failures {...span} />}
      <OverviewCharts series={series} span={span} />
      <ModelShares series={series} span={span} />
      <SavingsPanel {...span} />
    </Stack>
  );
}
