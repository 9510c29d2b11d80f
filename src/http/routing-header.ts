import { type CandidateExplanation, explainPlan } from '../routing/explain-plan.js';
import type { Plan } from '../routing/plan.js';
import { thousandths } from '../routing/numbers.js';

/** The longest value, in characters: proxies bound all headers together to some kilobytes. */
const longest = 1_024;
const longestName = 120;
const longestReason = 160;
const most = 12;
/** Room for how many are left out. */
const tail = 20;

const short = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** What a header may hold: printable ASCII, everything else as JSON escapes it. */
const ascii = (json: string): string =>
  json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

type Figure = number | null | undefined;
const rounded = (figure: Figure): Figure =>
  typeof figure === 'number' ? thousandths(figure) : figure;
/** A cost may be of any size. */
const significant = (figure: Figure): Figure =>
  typeof figure === 'number' ? Number(figure.toPrecision(3)) : figure;

/** A candidate's prediction in few words: what is undefined is left out of JSON. */
function compact({
  label,
  quality,
  uncertainty,
  cost,
  output_tokens,
  latency,
  learned,
  excluded,
}: CandidateExplanation): object {
  if (excluded !== undefined)
    return { label: short(label, longestName), excluded: short(excluded, longestReason) };
  return {
    label: short(label, longestName),
    quality: rounded(quality),
    uncertainty: rounded(uncertainty),
    cost: significant(cost),
    output_tokens,
    latency: rounded(latency),
    learned: learned?.slice(0, 3).map((reason) => short(reason, longestReason)),
  };
}

/**
 * A plan as the value of a header: compact JSON `{reason, gate, candidates, omitted}` of at most a kilobyte of printable ASCII, the best candidates
 * first. Null where there was nothing to weigh.
 */
export function routingHeader(plan: Plan): string | null {
  const { candidates, excluded, reason, gate } = plan;
  let left = candidates.length + excluded.length;
  if (left < 2) return null;
  let text =
    ascii(JSON.stringify({ reason: short(reason, longestName), gate: rounded(gate) })).slice(
      0,
      -1,
    ) + ',"candidates":[';
  // hardly more than so many have room
  const told = explainPlan({
    candidates: candidates.slice(0, most),
    excluded: excluded.slice(0, most),
  });
  for (const one of told) {
    const piece = ascii(JSON.stringify(compact(one)));
    if (text.length + piece.length + tail > longest) break;
    text += text.endsWith('[') ? piece : `,${piece}`;
    left--;
  }
  return `${text}]${left > 0 ? `,"omitted":${left}` : ''}}`;
}
