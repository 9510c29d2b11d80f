import type { ToolkitInput } from './config-input.js';
import type { WrittenConfig } from './shape.js';
import type { ToolkitConfig, ToolkitFunctionConfig, ToolkitRules } from './toolkit-config.js';

/** Fills the defaults into the settings of toolkits, in the order in which they are written. */
export const fillToolkits = (input: NonNullable<WrittenConfig['toolkits']>): ToolkitConfig[] =>
  Object.entries(input).map(([name, toolkit]) => fillToolkit(name, toolkit));

/** The findings have refused a toolkit without the settings that its type needs. */
function fillToolkit(name: string, input: ToolkitInput): ToolkitConfig {
  const rules = fillRules(name, input);
  const { type, url = '', headers = {}, era = 'auto' } = input;
  switch (type) {
    case 'mcp-stdio': {
      const { command = '', args = [], env = {} } = input;
      return { ...rules, type, command, args, env, era };
    }
    case 'mcp-http':
      return { ...rules, type, url, headers, era, auth: authOf(input) };
    case 'openapi': {
      const { baseUrl = null, operations = null } = input;
      return { ...rules, type, url, headers, baseUrl, operations };
    }
    case 'functions':
      return { ...rules, type, headers, functions: (input.functions ?? []).map(fillFunction) };
  }
}

const fillRules = (name: string, input: ToolkitInput): ToolkitRules => ({
  name,
  tools: input.tools ?? null,
  clientApproval: input.approval?.client ?? [],
  optional: input.optional ?? false,
  pricePerCall: input.pricePerCall ?? 0,
  timeoutMs: input.timeoutMs ?? 30_000,
  maxResultChars: input.maxResultChars ?? 50_000,
});

function authOf({ auth }: ToolkitInput) {
  if (auth === undefined) return null;
  const { tokenUrl = null, clientId, clientSecret, scope = null } = auth;
  return { tokenUrl, clientId, clientSecret, scope };
}

type WrittenFunction = NonNullable<ToolkitInput['functions']>[number];

const fillFunction = ({
  name,
  description = '',
  parameters = { type: 'object', properties: {} },
  url,
  headers = {},
}: WrittenFunction): ToolkitFunctionConfig => ({ name, description, parameters, url, headers });
