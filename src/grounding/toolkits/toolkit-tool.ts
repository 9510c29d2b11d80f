import type { ToolkitConfig } from '../../config/toolkit-config.js';
import { matchesGlob } from '../../models/access-rules.js';
import type { GatewayTool, ToolResult } from '../tools/gateway-tool.js';
import { unlessAborted } from './abort.js';
import { argumentProblem } from './check-arguments.js';
import { wholeCharacters } from './cut-result.js';
import { toolNameOf } from './tool-name.js';
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
  const { config } = toolkit;
  const read = readToolSchema(offered.parameters);
  if ('problem' in read)
    return `the schema of its tool ${shown(offered.name)} is invalid: ${read.problem}`;
  const { schema } = read;
  const name = toolNameOf(config.name, offered.name);
  const isForClient = config.clientApproval.some((glob) => matchesGlob(glob, offered.name));
  return {
    name,
    toolkit: config.name,
    definition: {
      type: 'function',
      function: {
        name,
        description: wholeCharacters(offered.description, maxDescriptionLength),
        parameters: schema,
      },
    },
    approval: isForClient ? 'client' : 'none',
    maxCalls: allowance.max,
    priceUsd: config.pricePerCall,
    async run(args, { signal }) {
      const problem = refusalOf(config.name, allowance) ?? argumentProblem(schema, args);
      if (problem !== null) return failure(problem, 0);
      allowance.made++;
      const call = toolkit.source.call(offered.name, args, signal);
      const { text, isError } = await unlessAborted(call, signal);
      return { text: toolkit.withoutSecrets(text), isError, costUsd: config.pricePerCall };
    },
  };
}

/** A name that a stranger has chosen, for a message. */
export const shown = (name: string): string => wholeCharacters(name.replace(/\s+/g, ' '), 80);

function refusalOf(toolkit: string, { max, made }: CallAllowance): string | null {
  if (max === null || made < max) return null;
  return `This request may call the tools of ${toolkit} ${max} times, and has done so.`;
}

const failure = (text: string, costUsd: number): ToolResult => ({ text, isError: true, costUsd });
