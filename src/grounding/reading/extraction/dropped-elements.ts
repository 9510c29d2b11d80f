/** Elements without text for readers. */
const dropped = new Set(
  `
  script style template noscript svg iframe frame frameset noframes object embed applet canvas
  audio video map area select option datalist textarea input link img picture source track
  annotation annotation-xml rp
`
    .trim()
    .split(/\s+/),
);
/** A page that shows itself late is not hidden. */
const neverHidden = new Set(['html', 'body', 'main', 'article']);

const hiding =
  /(?:^|;)\s{0,9}(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden|(?:opacity|font-size)\s{0,9}:\s{0,9}0(?:\.0{1,9})?(?:px|em|rem|%)?\s{0,9}(?:;|!|$))/i;
const maxStyleLength = 1_000;

/** Whether an element and all in it is left out: it is not text, or people do not see it. */
export function isDropped(name: string, attributes: Readonly<Record<string, string>>): boolean {
  if (dropped.has(name)) return true;
  if (neverHidden.has(name)) return false;
  const { hidden, style } = attributes;
  return (
    (hidden !== undefined && hidden !== 'until-found') ||
    attributes['aria-hidden'] === 'true' ||
    (style !== undefined && hiding.test(style.slice(0, maxStyleLength)))
  );
}

/** Attributes that say what an element is, or where a link leads. */
const kept = new Set(
  `
  id class role href rel itemprop itemtype datetime name property content lang dir colspan
  rowspan summary
`
    .trim()
    .split(/\s+/),
);
const maxValueLength = 2_048;

/** The attributes that are handed on, with their values bounded. */
export const keptAttributes = (
  attributes: Readonly<Record<string, string>>,
): (readonly [name: string, value: string])[] =>
  Object.entries(attributes)
    .filter(([name, value]) => kept.has(name) && value.length <= maxValueLength)
    .slice(0, kept.size);
