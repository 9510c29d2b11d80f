/** A rectangle of a drawing, in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A label that was given a place: its text begins at the box's left edge. */
export interface PlacedLabel extends Box {
  readonly text: string;
}

const gap = 7;
const shared = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));

function placesAround(x: number, y: number, width: number, height: number): Box[] {
  const box = (left: number, top: number): Box => ({ x: left, y: top, width, height });
  const near = [
    box(x + gap, y - height / 2),
    box(x - gap - width, y - height / 2),
    box(x - width / 2, y - gap - height),
    box(x - width / 2, y + gap),
  ];
  const askew = [-1, 1].flatMap((way) => [
    box(x + gap, y - height / 2 + way * height),
    box(x - gap - width, y - height / 2 + way * height),
  ]);
  const far = [-1, 1].flatMap((way) => [
    box(x - width / 2, y - height / 2 + way * 2 * height),
    box(x + gap, y - height / 2 + way * 2 * height),
    box(x - gap - width, y - height / 2 + way * 2 * height),
  ]);
  return [...near, ...askew, ...far];
}

/**
 * Finds places for the labels of points, one after the other: where they cover other labels, points and lines least.
 * @param taken what is drawn already; a label that covers it is worse than one further from its point
 */
export function placeLabels(
  points: readonly { readonly x: number; readonly y: number; readonly text: string }[],
  taken: readonly Box[],
  within: Box,
  { height, perCharacter }: { readonly height: number; readonly perCharacter: number },
): PlacedLabel[] {
  const dots = points.map(({ x, y }): Box => ({ x: x - 5, y: y - 5, width: 10, height: 10 }));
  const placed: PlacedLabel[] = [];
  for (const { x, y, text } of points) {
    const width = text.length * perCharacter;
    const covered = (box: Box, place: number): number => {
      const outside = box.width * box.height - shared(box, within);
      const onLabels = placed.reduce((sum, other) => sum + shared(box, other), 0),
        onDots = dots.reduce((sum, dot) => sum + shared(box, dot), 0);
      return (
        20 * outside +
        10 * onLabels +
        4 * onDots +
        taken.reduce((sum, other) => sum + shared(box, other), 0) +
        place
      );
    };
    const places = placesAround(x, y, width, height);
    const best = places.reduce(
      (least, box, at) => (covered(box, at) < covered(places[least]!, least) ? at : least),
      0,
    );
    placed.push({ ...places[best]!, text });
  }
  return placed;
}
