import 'uplot/dist/uPlot.min.css';
import { Box, Group, Text, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useMemo, useRef, useState } from 'react';
import uPlot from 'uplot';
import type { ChartSeries } from './chart-columns.js';
import { useChartKeys } from './chart-keys.js';
import { type ChartKind, chartData, chartOptions } from './chart-options.js';
import { formatInstant } from '../format/times.js';

interface ChartProps {
  /** What the chart shows, for people who do not see it. */
  label: string;
  /** In ms, rising. */
  times: readonly number[];
  series: readonly ChartSeries[];
  kind: ChartKind;
  /** A value with its unit. */
  format: (value: number) => string;
  height?: number;
  /** Charts with the same name move their cursors together. */
  group?: string;
  /** Called with the time range, in ms, that a reader selects. */
  onSelect?: (from: number, to: number) => void;
}

/** A chart over time; the line below shows the values at its cursor. */
export function Chart({ label, times, series, format, height = 180, ...how }: ChartProps) {
  const { ref: box, width } = useElementSize();
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [index, setIndex] = useState<number | null>(null);
  const scheme = useComputedColorScheme('light');
  const { kind, group, onSelect } = how;
  const select = useRef(onSelect);
  useEffect(() => {
    select.current = onSelect;
  });
  // another chart only where what is drawn differs; new values alone are set into it
  const shape = JSON.stringify(series.map(({ label: name, color }) => [name, color]));
  const data = useMemo(() => chartData(times, series, kind), [times, series, kind]);
  const latest = useRef(data);
  const formats = useRef(format);
  useEffect(() => {
    latest.current = data;
    formats.current = format;
    plot.current?.setData(data);
  }, [data, format]);
  const canSelect = onSelect !== undefined;
  useEffect(() => {
    if (!holder.current || width === 0) return;
    const names = JSON.parse(shape) as [string, string][];
    const options = chartOptions({
      names,
      kind,
      scheme,
      width,
      height,
      group,
      format: (value) => formats.current(value),
      onMove: setIndex,
      onSelect: canSelect ? (from, to) => select.current?.(from, to) : undefined,
    });
    const made = new uPlot(options, latest.current, holder.current);
    plot.current = made;
    return () => {
      plot.current = null;
      made.destroy();
    };
  }, [shape, kind, scheme, width, height, group, canSelect]);
  const onKeyDown = useChartKeys({ plot, times, index, setIndex, onSelect });
  return (
    <Box>
      <Box ref={box} h={height} tabIndex={0} role="img" aria-label={label} onKeyDown={onKeyDown}>
        <div ref={holder} />
      </Box>
      <Readout times={times} series={series} index={index} format={format} />
    </Box>
  );
}

type ReadoutProps = Pick<ChartProps, 'times' | 'series' | 'format'> & { index: number | null };

/** The legend, with the values at the cursor. */
function Readout({ times, series, index, format }: ReadoutProps) {
  const time = index === null ? undefined : times[index];
  return (
    <Group gap="sm" mih={40} align="flex-start" className="figures" aria-live="off">
      {series.map(({ label, color, values }) => {
        const value = index === null ? null : (values[index] ?? null);
        return (
          <Group key={label} gap={6} wrap="nowrap" miw={0}>
            <Box w={10} h={10} bg={color} style={{ borderRadius: 2, flexShrink: 0 }} />
            <Text size="xs" className="text-plain">
              {label}
              {value === null ? '' : ` ${format(value)}`}
            </Text>
          </Group>
        );
      })}
      {time === undefined ? null : (
        <Text size="xs" c="dimmed">
          {formatInstant(time)}
        </Text>
      )}
    </Group>
  );
}
