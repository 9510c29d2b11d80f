import { Box, Group, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { SmallButton } from '../../components/elements.js';
import type { Schema } from '../../api/schema.js';
import { Chart } from '../../components/chart.js';
import { type ChartSeries, colorAt, errorColor } from '../../components/chart-columns.js';
import { Loaded } from '../../components/loaded.js';
import { useParameters } from '../../components/search-parameters.js';
import { formatCompact } from '../../format/numbers.js';
import { formatSecond } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { queryOf } from './filters.js';
import { read } from '../../api/queries.js';

const text = texts.requests;

interface HistogramProps {
  isAdmin: boolean;
  /** Null: it is asked for once. */
  refreshMs: number | null;
}

/** Requests over time by the filters of the list; dragging selects a time range. */
export function Histogram({ isAdmin, refreshMs }: HistogramProps) {
  const [parameters, change] = useParameters();
  const { from, to } = parameters;
  const { live: _live, sort: _sort, ...shown } = parameters;
  const query = useQuery({
    queryKey: ['request-histogram', shown, isAdmin],
    queryFn: () =>
      read('/api/v1/requests/histogram', { query: queryOf(parameters, isAdmin, Date.now()) }),
    refetchInterval: refreshMs ?? false,
    placeholderData: keepPreviousData,
  });
  return (
    <Box>
      <Loaded query={query} lines={4}>
        {(histogram) => (
          <Bars
            histogram={histogram}
            onSelect={(start, end) =>
              change({
                from: new Date(start).toISOString(),
                to: new Date(end).toISOString(),
                live: null,
              })
            }
          />
        )}
      </Loaded>
      {from && to ? (
        <Group gap="sm">
          <Text size="sm">
            {fill(text.selection, { from: formatSecond(from), to: formatSecond(to) })}
          </Text>
          <SmallButton onClick={() => change({ from: null, to: null })}>
            {text.unselect}
          </SmallButton>
        </Group>
      ) : null}
    </Box>
  );
}

interface BarsProps {
  histogram: Schema<'RequestHistogramResponse'>;
  onSelect: (from: number, to: number) => void;
}

function Bars({ histogram, onSelect }: BarsProps) {
  const { times, series } = useMemo(() => {
    const { requests, errors } = histogram;
    const answered = requests.map((count, at) => count - (errors[at] ?? 0));
    const layers: ChartSeries[] = [
      { label: text.answered, values: answered, color: colorAt(0) },
      { label: text.failed, values: errors, color: errorColor },
    ];
    return { times: histogram.times.map((time) => Date.parse(time)), series: layers };
  }, [histogram]);
  return (
    <Chart
      label={text.histogram}
      times={times}
      series={series}
      kind="stacked"
      format={formatCompact}
      height={84}
      onSelect={onSelect}
    />
  );
}
