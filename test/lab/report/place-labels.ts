/** A rectangle of a drawing, in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A label and its place: the text begins at the left edge of the box. */
export interface PlacedLabel extends Box {
  readonly text: string;
}

/** Pixels between a point and its label. */
const gap = 7;

/** The area that two boxes share. */
const overlap = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));

const totalOverlap = (box: Box, others: readonly Box[]): number =>
  others.reduce((sum, other) => sum + overlap(box, other), 0);

/** Possible boxes for the label of a point, the most readable first. */
function boxesAround(x: number, y: number, width: number, height: number): Box[] {
  const right = x + gap;
  const left = x - gap - width;
  const centre = x - width / 2;
  const box = (boxX: number, boxY: number): Box => ({ x: boxX, y: boxY, width, height });
  const beside = (rows: number): Box[] => [
    box(right, y - height / 2 + rows * height),
    box(left, y - height / 2 + rows * height),
  ];
  return [
    ...beside(0),
    box(centre, y - gap - height),
    box(centre, y + gap),
    ...beside(-1),
    ...beside(1),
    ...[-2, 2].flatMap((rows) => [box(centre, y - height / 2 + rows * height), ...beside(rows)]),
  ];
}

/**
 * Places the labels of points, one after the other, where they cover other labels, points and
 * curves least.
 * @param taken what is drawn already
 * @param within the area that labels should stay in
 */
export function placeLabels(
  points: readonly { readonly x: number; readonly y: number; readonly text: string }[],
  taken: readonly Box[],
  within: Box,
  { height, characterWidth }: { readonly height: number; readonly characterWidth: number },
): PlacedLabel[] {
  const dots = points.map(({ x, y }): Box => ({ x: x - 5, y: y - 5, width: 10, height: 10 }));
  const placed: PlacedLabel[] = [];
  for (const { x, y, text } of points) {
    const penaltyOf = (box: Box, place: number): number =>
      20 * (box.width * box.height - overlap(box, within)) +
      10 * totalOverlap(box, placed) +
      4 * totalOverlap(box, dots) +
      totalOverlap(box, taken) +
      place;
    const boxes = boxesAround(x, y, text.length * characterWidth, height);
    const penalties = boxes.map(penaltyOf);
    placed.push({ ...boxes[penalties.indexOf(Math.min(...penalties))]!, text });
  }
  return placed;
}
