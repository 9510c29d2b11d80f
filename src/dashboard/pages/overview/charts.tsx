import { SegmentedControl, SimpleGrid } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Chart } from '../../components/chart.js';
import { Panel } from '../../components/page.js';
import { formatCompact, formatShare, formatUsd } from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import {
  byModel,
  errorSeries,
  percentileByModel,
  percentiles,
  tokenSeries,
  type UsageSeries,
} from './series.js';

const text = texts.overview;
const labels = { none: text.noModel, rest: text.rest };
const group = 'overview';

/** The figures over time. */
export function OverviewCharts({ series }: { series: UsageSeries }) {
  const times = useMemo(() => series.times.map((time) => Date.parse(time)), [series]);
  const drawn = useMemo(
    () => ({
      requests: byModel(series, 'requests', labels),
      spend: byModel(series, 'costUsd', labels),
      tokens: tokenSeries(series, { prompt: text.prompt, completion: text.completion }),
      errors: errorSeries(series, text.errorRate),
    }),
    [series],
  );
  const shared = { times, group };
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
      <Panel title={text.requestsByModel}>
        <Chart
          {...shared}
          {...of('requestsByModel')}
          series={drawn.requests}
          kind="stacked"
          format={formatCompact}
        />
      </Panel>
      <Panel title={text.spendByModel}>
        <Chart
          {...shared}
          {...of('spendByModel')}
          series={drawn.spend}
          kind="stacked"
          format={formatUsd}
        />
      </Panel>
      <Times series={series} times={times} what="latency" />
      <Times series={series} times={times} what="ttft" />
      <Panel title={text.tokens}>
        <Chart
          {...shared}
          {...of('tokens')}
          series={drawn.tokens}
          kind="stacked"
          format={formatCompact}
        />
      </Panel>
      <Panel title={text.errorRate}>
        <Chart
          {...shared}
          {...of('errorRate')}
          series={drawn.errors}
          kind="stacked"
          format={formatShare}
        />
      </Panel>
    </SimpleGrid>
  );
}

type Title = 'requestsByModel' | 'spendByModel' | 'tokens' | 'errorRate' | 'latency' | 'ttft';

const of = (title: Title): { label: string } => ({
  label: fill(text.chartLabel, { title: text[title] }),
});

interface TimesProps {
  series: UsageSeries;
  times: readonly number[];
  what: 'latency' | 'ttft';
}

/** Percentiles of all requests, or one of each model. */
function Times({ series, times, what }: TimesProps) {
  const [view, setView] = useState('all');
  const drawn = useMemo(() => {
    if (view === 'all') return percentiles(series, what, { p50: text.median, p95: text.worst });
    return percentileByModel(
      series,
      view === 'p50' ? `${what}P50Ms` : `${what}P95Ms`,
      text.noModel,
    );
  }, [series, what, view]);
  return (
    <Panel
      title={text[what]}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={fill(text.viewOf, { title: text[what] })}
          value={view}
          onChange={setView}
          data={[
            { value: 'all', label: text.viewAll },
            { value: 'p50', label: text.viewP50 },
            { value: 'p95', label: text.viewP95 },
          ]}
        />
      }
    >
      <Chart
        times={times}
        {...of(what)}
        series={drawn}
        kind="lines"
        format={formatMs}
        group={group}
      />
    </Panel>
  );
}
