import { SegmentedControl, SimpleGrid } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Chart } from '../../components/chart.js';
import { errorColor } from '../../components/chart-columns.js';
import { First } from '../../components/loaded.js';
import { Panel, useIsNarrow } from '../../components/page.js';
import { formatCompact, formatShare, formatUsd } from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import {
  byModel,
  errorRates,
  percentileByModel,
  percentiles,
  requestsHref,
  type Shown,
  tokenSeries,
  type UsageSeries,
} from './series.js';
import { optionsOf } from '../../components/elements.js';

const text = texts.overview;
const group = 'overview';

/** The figures over time. */
export function OverviewCharts({ series, span }: { series: UsageSeries; span: Shown }) {
  const times = useMemo(() => series.times.map((time) => Date.parse(time)), [series]);
  const drawn = useMemo(
    () => ({
      requestsByModel: byModel(series, 'requests', span),
      spendByModel: byModel(series, 'costUsd', span),
      tokens: tokenSeries(series, requestsHref({ sort: 'tokens' }, span)),
      errorRate: [
        {
          label: text.errorRate,
          color: errorColor,
          values: errorRates(series),
          href: requestsHref({ failedBy: 'provider' }, span),
        },
      ],
    }),
    [series, span],
  );
  const isNarrow = useIsNarrow();
  const height = isNarrow ? 130 : 180;
  const stacked = (title: keyof typeof drawn, format: (value: number) => string) => (
    <Panel key={title} title={text[title]}>
      <Chart
        label={fill(text.chartLabel, { title: text[title] })}
        {...{ times, group, format, height }}
        series={drawn[title]}
        kind="stacked"
      />
    </Panel>
  );
  const charts = [
    stacked('requestsByModel', formatCompact),
    stacked('spendByModel', formatUsd),
    <Times key="latency" what="latency" {...{ series, span, times, height }} />,
    <Times key="ttft" what="ttft" {...{ series, span, times, height }} />,
    stacked('tokens', formatCompact),
    stacked('errorRate', formatShare),
  ];
  return (
    <First items={charts} count={isNarrow ? 3 : charts.length} label={text.allCharts}>
      {(shown) => (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
          {shown}
        </SimpleGrid>
      )}
    </First>
  );
}

interface TimesProps {
  series: UsageSeries;
  span: Shown;
  times: readonly number[];
  what: 'latency' | 'ttft';
  height: number;
}

/** Percentiles of all requests, or one of each model. */
function Times({ series, span, times, what, height }: TimesProps) {
  const [view, setView] = useState('all');
  const drawn = useMemo(() => {
    if (view === 'all')
      return percentiles(series, what, requestsHref({ sort: 'latency', failed: 'false' }, span));
    return percentileByModel(series, view === 'p50' ? `${what}P50Ms` : `${what}P95Ms`, span);
  }, [series, span, what, view]);
  return (
    <Panel
      title={text[what]}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={fill(text.viewOf, { title: text[what] })}
          value={view}
          onChange={setView}
          data={optionsOf({ all: text.viewAll, p50: text.viewP50, p95: text.viewP95 })}
        />
      }
    >
      <Chart
        {...{ times, group, height }}
        label={fill(text.chartLabel, { title: text[what] })}
        series={drawn}
        kind="lines"
        format={formatMs}
      />
    </Panel>
  );
}
