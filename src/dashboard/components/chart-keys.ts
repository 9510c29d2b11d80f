import { type KeyboardEvent, useRef } from 'react';
import type uPlot from 'uplot';
import { nextIndex } from './chart-columns.js';

interface ChartKeys {
  plot: { readonly current: uPlot | null };
  /** In ms, rising. */
  times: readonly number[];
  /** Of the time at the cursor; null: it is not in the chart. */
  index: number | null;
  setIndex: (index: number | null) => void;
  onSelect: ((from: number, to: number) => void) | undefined;
}

/**
 * What keys do in a chart: arrows move its cursor, with Shift they select times where a selection
 * means something, Enter applies the selection, and Escape drops it.
 */
export function useChartKeys({ plot, times, index, setIndex, onSelect }: ChartKeys) {
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
  plot.setCursor({ left: plot.valToPos(time / 1_000, 'x'), top: 0 });
}

function drawSelection(plot: uPlot | null, [from, to]: readonly [number, number]): void {
  if (!plot) return;
  const [left, right] = [from, to].map((time) => plot.valToPos(time / 1_000, 'x'));
  if (left === undefined || right === undefined) return;
  plot.setSelect({ left, top: 0, width: right - left, height: plot.over.clientHeight }, false);
}
