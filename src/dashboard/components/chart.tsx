import 'uplot/dist/uPlot.min.css';
import { Box, Group, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import uPlot from 'uplot';
import { Note, PageLink, Swatch } from './elements.js';
import { type ChartSeries, nextIndex } from './chart-columns.js';
import { chartData, type ChartKind, chartOptions } from './chart-options.js';
import { shortNames } from '../format/outcomes.js';
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
  height: number;
  /** Charts with the same name move their cursors together. */
  group?: string;
  /** Called with the time range, in ms, that a reader selects. */
  onSelect?: (from: number, to: number) => void;
}

/** A chart over time; the line below shows the values at its cursor. */
export function Chart({ label, times, series, format, height, ...how }: ChartProps) {
  const { ref: box, width } = useElementSize();
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [index, setIndex] = useState<number | null>(null);
  const [isFocused, setFocused] = useState(false);
  const scheme = useComputedColorScheme('light');
  const { kind, group, onSelect } = how;
  // another chart only where what is drawn differs; new values alone are set into it
  const shape = JSON.stringify(series.map(({ label: name, color }) => [name, color]));
  const data = useMemo(() => chartData(times, series, kind), [times, series, kind]);
  const formatted = useEffectEvent(format);
  const selected = useEffectEvent((from: number, to: number) => onSelect?.(from, to));
  const latest = useEffectEvent(() => data);
  useEffect(() => plot.current?.setData(data), [data, format]);
  const canSelect = onSelect !== undefined;
  useEffect(() => {
    if (!holder.current || width === 0) return;
    const style = getComputedStyle(holder.current);
    const options = chartOptions({
      names: JSON.parse(shape) as [string, string][],
      kind,
      colorOf: (variable) => style.getPropertyValue(variable),
      width,
      height,
      group,
      format: (value) => formatted(value),
      onMove: setIndex,
      onSelect: canSelect ? (from, to) => selected(from, to) : undefined,
    });
    const made = new uPlot(options, latest(), holder.current);
    plot.current = made;
    return () => {
      plot.current = null;
      made.destroy();
    };
  }, [shape, kind, scheme, width, height, group, canSelect]);
  const onKeyDown = useChartKeys({ plot, times, index, setIndex, onSelect });
  return (
    <Box>
      <Box
        ref={box}
        h={height}
        tabIndex={0}
        role="img"
        aria-label={label}
        onKeyDown={onKeyDown}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
      >
        <div ref={holder} />
      </Box>
      <Readout {...{ times, series, index, format, isFocused }} />
    </Box>
  );
}

type ReadoutProps = Pick<ChartProps, 'times' | 'series' | 'format'> & {
  index: number | null;
  /** Whether the chart has the keyboard: a screen reader then says the values at the cursor. */
  isFocused: boolean;
};

/** The legend, with the values at the cursor. */
function Readout({ times, series, index, format, isFocused }: ReadoutProps) {
  const time = index === null ? undefined : times[index];
  const names = shortNames(series.map(({ label }) => label));
  return (
    <Group
      gap="2px var(--mantine-spacing-sm)"
      mih={series.length > 2 ? 40 : 20}
      align="flex-start"
      className="figures"
      aria-live={isFocused ? 'polite' : 'off'}
    >
      {series.map(({ label, color, values, href }, at) => {
        const value = index === null ? null : (values[index] ?? null);
        return (
          <Swatch key={label} color={color}>
            <span title={label}>
              <PageLink href={href ?? null} size="xs" c="inherit" underline="hover">
                {names[at]}
              </PageLink>
            </span>
            {value === null ? '' : ` ${format(value)}`}
          </Swatch>
        );
      })}
      {time === undefined ? null : <Note>{formatInstant(time)}</Note>}
    </Group>
  );
}

interface ChartKeys extends Pick<ChartProps, 'times' | 'onSelect'> {
  plot: { readonly current: uPlot | null };
  /** Of the time at the cursor; null: it is not in the chart. */
  index: number | null;
  setIndex: (index: number | null) => void;
}

/**
 * What keys do in a chart: arrows move its cursor, with Shift they select times where a selection
 * means something, Enter applies the selection, and Escape drops it.
 */
function useChartKeys({ plot, times, index, setIndex, onSelect }: ChartKeys) {
  const anchor = useRef<number | null>(null);
  const drop = (): void => {
    anchor.current = null;
    plot.current?.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  };
  const move = (step: number, isSelecting: boolean): void => {
    const next = nextIndex(index, step, times.length);
    if (next === null) return;
    if (isSelecting) anchor.current ??= index ?? next;
    else drop();
    setIndex(next);
    moveCursor(plot.current, times, next);
    if (anchor.current !== null) drawSelection(plot.current, rangeOf(times, anchor.current, next));
  };
  const apply = (): void => {
    if (anchor.current === null || index === null) return;
    const [from, to] = rangeOf(times, anchor.current, index);
    drop();
    onSelect?.(from, to);
  };
  return (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step !== 0) move(step, event.shiftKey && onSelect !== undefined);
    else if (event.key === 'Enter') apply();
    else if (event.key === 'Escape') drop();
    else return;
    event.preventDefault();
  };
}

/** From the start of the earlier interval to the end of the later one. */
function rangeOf(times: readonly number[], one: number, other: number): [number, number] {
  const [first, last] = [Math.min(one, other), Math.max(one, other)];
  const step = (times[1] ?? 0) - (times[0] ?? 0);
  return [times[first] ?? 0, (times[last] ?? 0) + step];
}

function moveCursor(plot: uPlot | null, times: readonly number[], index: number): void {
  const time = times[index];
  if (!plot || time === undefined) return;
  const { left, top } = plot.over.getBoundingClientRect();
  const clientX = left + plot.valToPos(time / 1_000, 'x');
  // as a mouse would, so that the cursors of the other charts go with it
  plot.over.dispatchEvent(new MouseEvent('mousemove', { clientX, clientY: top + 1 }));
}

function drawSelection(plot: uPlot | null, [from, to]: readonly [number, number]): void {
  if (!plot) return;
  const [left, right] = [from, to].map((time) => plot.valToPos(time / 1_000, 'x'));
  if (left === undefined || right === undefined) return;
  plot.setSelect({ left, top: 0, width: right - left, height: plot.over.clientHeight }, false);
}
