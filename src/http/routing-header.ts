import { type CandidateExplanation, explainPlan } from '../chooser/explain-plan.js';
import type { Candidate, Plan } from '../chooser/plan.js';
import { tenThousandths, thousandths } from '../models/numbers.js';
import { asciiJson } from '../text/json-values.js';

/** In characters. Proxies limit all headers together to some kilobytes. */
const maxHeaderLength = 1_024;
const maxNameLength = 120;
const maxReasonLength = 160;
/** More candidates hardly fit into the header. */
const maxCandidates = 12;
/** Space reserved for `omitted`. */
const tailLength = 20;

const short = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

type Figure = number | null | undefined;
const rounded = (figure: Figure): Figure =>
  typeof figure === 'number' ? thousandths(figure) : figure;
/** Three significant digits, because costs differ by orders of magnitude. */
const significant = (figure: Figure): Figure =>
  typeof figure === 'number' ? Number(figure.toPrecision(3)) : figure;

/** A candidate's prediction in short; undefined fields are left out of the JSON. */
function compact(explanation: CandidateExplanation, setAside: string | undefined): object {
  const { label, effort, quality, uncertainty, cost, output_tokens, latency } = explanation;
  const { learned, excluded } = explanation;
  if (excluded !== undefined)
    return { label: short(label, maxNameLength), excluded: short(excluded, maxReasonLength) };
  return {
    label: short(label, maxNameLength),
    effort,
    quality: rounded(quality),
    uncertainty: typeof uncertainty === 'number' ? tenThousandths(uncertainty) : uncertainty,
    cost: significant(cost),
    output_tokens,
    latency: rounded(latency),
    set_aside: setAside,
    learned: learned?.slice(0, 3).map((reason) => short(reason, maxReasonLength)),
  };
}

/**
 * A plan as a header value: compact JSON `{reason, gate, candidates, omitted}` of at most 1,024
 * printable ASCII characters, best candidates first. Null if there was only one candidate.
 * @param setAside why a candidate is called after all others
 */
export function routingHeader(
  plan: Plan,
  setAside: (candidate: Pick<Candidate, 'provider' | 'model'>) => string | undefined,
): string | null {
  const { candidates, excluded, reason, gate } = plan;
  let left = candidates.length + excluded.length;
  if (left < 2) return null;
  let text =
    asciiJson(JSON.stringify({ reason: short(reason, maxNameLength), gate: rounded(gate) })).slice(
      0,
      -1,
    ) + ',"candidates":[';
  const explanations = explainPlan({
    candidates: candidates.slice(0, maxCandidates),
    excluded: excluded.slice(0, maxCandidates),
  });
  for (const one of explanations) {
    const piece = asciiJson(JSON.stringify(compact(one, setAside(one))));
    if (text.length + piece.length + tailLength > maxHeaderLength) break;
    text += text.endsWith('[') ? piece : `,${piece}`;
    left--;
  }
  return `${text}]${left > 0 ? `,"omitted":${left}` : ''}}`;
}
