import { hash } from 'node:crypto';
import type { ToolkitConfig } from '../../config/toolkit-config.js';
import { matchesGlob } from '../../models/access-rules.js';
import type { GatewayTool } from '../tools/gateway-tool.js';
import { unlessAborted } from '../../async/until-aborted.js';
import { argumentProblem } from './check-arguments.js';
import { cutText } from '../../text/cut-text.js';
import { isObject } from '../../text/is-object.js';
import { jsonFields } from '../../text/json-values.js';
import { mendSchema } from '../../text/mend-schema.js';
import { readToolSchema } from './tool-schema.js';
import type { OfferedTool, ToolSource } from './tool-source.js';

const maxDescriptionLength = 1_024;

/** A configured toolkit with what runs its tools. */
export interface OpenToolkit {
  readonly config: ToolkitConfig;
  readonly source: ToolSource;
  /** Hides the secrets of its settings in what its tools return. */
  readonly withoutSecrets: (text: string) => string;
}

/** The calls that one request has left for one toolkit. */
export interface CallAllowance {
  readonly max: number | null;
  made: number;
}

/** An offered tool as the gateway runs it; a text: why it cannot be offered to models. */
export function toolkitTool(
  toolkit: OpenToolkit,
  offered: OfferedTool,
  allowance: CallAllowance,
): GatewayTool | string {
  const { config, withoutSecrets } = toolkit;
  if (isObject(offered.parameters)) mendSchema(offered.parameters);
  const read = readToolSchema(offered.parameters);
  if ('problem' in read)
    return `the schema of its tool ${shown(offered.name)} is invalid: ${read.problem}`;
  const { schema } = read;
  // once more, for what its references mean
  mendSchema(schema);
  const name = toolNameOf(config.name, withoutSecrets(offered.name));
  const isForClient = config.clientApproval.some((glob) => matchesGlob(glob, offered.name));
  return {
    name,
    toolkit: config.name,
    definition: {
      type: 'function',
      function: {
        name,
        description: cutText(withoutSecrets(offered.description), maxDescriptionLength),
        parameters: jsonFields(shownSchema(schema, withoutSecrets)),
      },
    },
    approval: isForClient ? 'client' : 'none',
    maxCalls: allowance.max,
    priceUsd: config.pricePerCall,
    async run(args, { signal }) {
      const problem = refusalOf(config.name, allowance) ?? argumentProblem(schema, args);
      if (problem !== null) return { text: withoutSecrets(problem), isError: true, costUsd: 0 };
      allowance.made++;
      const call = toolkit.source.call(offered.name, args, signal);
      const { text, isError } = await unlessAborted(call, signal);
      return { text: withoutSecrets(text), isError, costUsd: config.pricePerCall };
    },
  };
}

/** A server may repeat in the texts of a schema what it was sent; its numbers stay numbers. */
function shownSchema(value: unknown, withoutSecrets: OpenToolkit['withoutSecrets']): unknown {
  if (typeof value === 'string') return withoutSecrets(value);
  if (Array.isArray(value)) return value.map((item) => shownSchema(item, withoutSecrets));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      withoutSecrets(name),
      shownSchema(inner, withoutSecrets),
    ]),
  );
}

/** A name from outside, made short enough for a message. */
export const shown = (name: string): string => cutText(name.replace(/\s+/g, ' '), 80);

function refusalOf(toolkit: string, { max, made }: CallAllowance): string | null {
  if (max === null || made < max) return null;
  return `This request may call the tools of ${toolkit} ${max} times, and has done so.`;
}

/** What every provider accepts. */
const maxLength = 64;
const hashLength = 8;

/**
 * The name under which models know a tool: `<toolkit>__<tool>`. Where that is too long or has other
 * characters than letters, digits, `_` and `-`, it is cut and ends with a hash, so that different
 * tools have different names and a tool always has the same.
 */
export function toolNameOf(toolkit: string, tool: string): string {
  const full = `${toolkit}__${tool}`;
  const allowed = full.replace(/[^A-Za-z0-9_-]/g, '_');
  if (allowed === full && full.length <= maxLength) return full;
  const ending = hash('sha256', full).slice(0, hashLength);
  return `${allowed.slice(0, maxLength - hashLength - 1)}_${ending}`;
}
