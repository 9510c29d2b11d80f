/** The size of a plot, and the room for labels at each side, in px. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The values that stand at an axis, and the place of each value on it, in px. */
export interface Axis {
  readonly ticks: readonly number[];
  readonly at: (value: number) => number;
}

/** A value with the ends of its interval. */
export type Estimate = Readonly<Record<'value' | 'low' | 'high', number>>;

/** What a plot shows of a model. */
export interface PlotPoint {
  readonly label: string;
  readonly cost: Estimate;
  readonly quality: Estimate;
}

/** A point with its name, in px from the left and from the top. */
interface Mark {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

/** Where a name stands: an end of its base line. */
interface NamePlace {
  readonly x: number;
  readonly y: number;
  readonly anchor: 'start' | 'end';
}

const [nameHeight, letterWidth, gap] = [15, 7, 10];

/**
 * Places each name at a side of its point, or further up or down, where it covers neither another
 * name nor another point; where there is no such place, above it.
 * @param size of the plot, in px
 */
export function placeNames(
  marks: readonly Mark[],
  size: { readonly width: number; readonly height: number },
): NamePlace[] {
  const taken = marks.map(({ x, y }) => ({ x, y, width: 14, height: 14 }));
  const isClear = (box: (typeof taken)[number]): boolean =>
    Math.abs(2 * box.x - size.width) <= size.width - box.width &&
    Math.abs(2 * box.y - size.height) <= size.height - box.height &&
    !taken.some(
      ({ x, y, width, height }) =>
        2 * Math.abs(box.x - x) < box.width + width &&
        2 * Math.abs(box.y - y) < box.height + height,
    );
  return marks.map(({ x, y, text }) => {
    const width = text.length * letterWidth;
    const boxAt = (side: number, step: number) => ({
      x: x + side * (gap + width / 2),
      y: y + step * nameHeight,
      width,
      height: nameHeight,
      side,
    });
    const boxes = [0, -1, 1, -2, 2, -3, 3, -4, 4, -5, 5, -6, 6].flatMap((step) => [
      boxAt(1, step),
      boxAt(-1, step),
    ]);
    const box = boxes.find(isClear) ?? boxAt(1, -1);
    taken.push(box);
    return {
      x: box.side > 0 ? Math.min(x + gap, size.width - width) : x - gap,
      y: box.y + 4,
      anchor: box.side > 0 ? 'start' : 'end',
    };
  });
}
