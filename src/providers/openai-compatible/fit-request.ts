import type { ChatRequest, ToolDefinition } from '../../completion.js';
import { fitParameters, renameField, seedOf } from '../fit-parameters.js';
import type { ParameterRule } from '../model-parameters.js';
import { withFewMarks } from '../cache-breakpoints.js';
import { withAllowedTools } from '../tool-choice.js';
import type { HistoryRules } from './adapt-messages.js';
import type { Fields } from '../../text/is-object.js';

/** What a provider takes of a chat request, except its messages. */
export interface RequestRules {
  /** The only name that it has for the limit of an answer. Absent: it takes what was given. */
  readonly length?: 'max_tokens' | 'max_completion_tokens';
  /** How many stop sequences it takes. Absent: four, as OpenAI. */
  readonly maxStops?: number;
  /** True: it takes seeds of 64 bits. Others get what is left of one in 31. */
  readonly longSeeds?: boolean;
  /** Matches models whose tools each take `strict`; true: all do. */
  readonly strictTools?: true | RegExp;
  /** True: it takes OpenAI's custom tools, and a choice of some of the tools. */
  readonly openaiTools?: boolean;
  /** True: it takes no `n` but 1. */
  readonly oneAnswer?: boolean;
  /** What its models take, in addition to the rules of OpenAI's models. */
  readonly parameters?: readonly ParameterRule[];
}

/**
 * Brings a chat request within what the provider and the model take, in place and without changing
 * what the body refers to.
 * @param names the model's, ours and the provider's
 * @returns the fields that were left out or changed
 */
export function fitRequest(
  body: Fields,
  names: readonly string[],
  rules: RequestRules & { readonly history?: HistoryRules },
): string[] {
  const { strictTools, history, openaiTools } = rules;
  if (!openaiTools) Object.assign(body, withAllowedTools(body as Pick<ChatRequest, 'tools'>));
  const takesStrict =
    strictTools === true || names.every((name) => strictTools?.test(name) ?? false);
  const lost = [
    ...fitTools(body, takesStrict, history?.cacheControl ?? false),
    ...fitStops(body, rules.maxStops ?? 4),
  ];
  if (!history?.cacheControl && 'cache_control' in body) body['cache_control'] = undefined;
  if (history?.cacheControl) {
    const marked = body as Fields & Pick<ChatRequest, 'messages' | 'tools'>;
    const fewer = withFewMarks(marked);
    if (fewer !== marked) lost.push('cache_control');
    Object.assign(body, fewer);
  }
  const seed = seedOf(body);
  if (!rules.longSeeds && seed !== null) body['seed'] = Math.abs(seed % 2 ** 31);
  lost.push(...fitParameters(body, names, rules.parameters));
  if (rules.length === 'max_tokens') renameField(body, 'max_completion_tokens', 'max_tokens');
  if (rules.length === 'max_completion_tokens')
    renameField(body, 'max_tokens', 'max_completion_tokens');
  return lost;
}

/** OpenAI and others refuse an empty list. */
function fitTools(body: Fields, takesStrict: boolean, marks: boolean): string[] {
  const tools = body['tools'] as readonly ToolDefinition[] | null | undefined;
  if (!tools?.length) {
    if (tools !== undefined) body['tools'] = undefined;
    return [];
  }
  const isStrict = (tool: Partial<ToolDefinition>): boolean =>
    !takesStrict && tool.function?.strict !== undefined;
  if (!tools.some((tool) => (!marks && 'cache_control' in tool) || isStrict(tool))) return [];
  body['tools'] = tools.map((tool) => {
    const { cache_control: _mark, ...plain } = tool;
    const taken = marks ? tool : plain;
    if (!isStrict(tool)) return taken;
    const { strict: _strict, ...called } = tool.function;
    return { ...taken, function: called };
  });
  return tools.some((tool) => isStrict(tool) && tool.function.strict) ? ['tools'] : [];
}

function fitStops(body: Fields, most: number): string[] {
  const { stop } = body;
  if (stop !== '' && !Array.isArray(stop)) return [];
  const given: readonly string[] = Array.isArray(stop) ? (stop as string[]) : [];
  const stops = given.filter((text) => text !== '').slice(0, most);
  if (given.length === 0 || stops.length < given.length)
    body['stop'] = stops.length > 0 ? stops : undefined;
  return given.slice(most).some((text) => text !== '') ? ['stop'] : [];
}
