import { isDeepStrictEqual } from 'node:util';
import type { ToolkitConfig } from '../../config/toolkit-config.js';
import { GatewayError, invalidField } from '../../errors.js';
import { matchesGlob } from '../../models/access-rules.js';
import type { GatewayTool } from '../tools/gateway-tool.js';
import { callHttp } from './http-call.js';
import { McpSource } from './mcp/mcp-source.js';
import { httpSessions } from './mcp/open-http.js';
import { stdioSessions } from './mcp/open-stdio.js';
import { OpenApiSource } from './openapi/openapi-source.js';
import { type RetirementTerms, RetiringSource } from './retiring-source.js';
import type { OfferedTool, ToolOffer, ToolSource } from './tool-source.js';
import { type CallAllowance, type OpenToolkit, shown, toolkitTool } from './toolkit-tool.js';
import { ToolkitSecrets } from './toolkit-secrets.js';

/** A toolkit that a request names. */
export interface ToolkitChoice {
  readonly name: string;
  /** Names or globs of its tools; absent: all that the configuration allows. */
  readonly tools?: readonly string[] | null;
  /** How many calls of them the request may make together; absent: no limit of its own. */
  readonly maxCalls?: number | null;
}

/** What a request may call. */
export interface OpenedToolkits {
  readonly tools: GatewayTool[];
  /** What is missing and why, in words for the client. */
  readonly warnings: string[];
}

/** Providers refuse requests with more. */
const maxToolsPerRequest = 128;

/** The toolkits of one configuration. A connection opens at first need and serves all later. */
export class Toolkits {
  private readonly byName: Map<string, OpenToolkit & { readonly source: RetiringSource }>;
  /** Those of earlier configurations: requests that began then may still call them. */
  private retired: readonly RetiringSource[] = [];
  /** Sources that a later configuration took over, which closes them. */
  private readonly handedOver = new Set<RetiringSource>();

  /** @param log takes what servers write to their standard error, bounded, and other details */
  constructor(
    config: readonly ToolkitConfig[],
    log: (message: string) => void = () => undefined,
    terms?: RetirementTerms,
  ) {
    this.byName = new Map(
      config.map((toolkit) => {
        const secrets = new ToolkitSecrets(toolkit);
        const withoutSecrets = (text: string): string => secrets.hide(text);
        const source = createSource(toolkit, secrets, (line) =>
          log(`${toolkit.name}: ${secrets.hideInMessage(line)}`),
        );
        const retiring = new RetiringSource(source, terms);
        return [toolkit.name, { config: toolkit, source: retiring, withoutSecrets }];
      }),
    );
  }

  get names(): readonly string[] {
    return [...this.byName.keys()];
  }

  /**
   * The tools that a request may call. All choices are checked before the first connection.
   * @param allowed names or globs of the toolkits that the caller may use
   * @throws GatewayError `validation_failed` for a toolkit that is unknown, forbidden, or without a
   * usable tool; `connection_failed` for one that cannot be reached, unless it is optional
   */
  async open(
    choices: readonly ToolkitChoice[],
    allowed: readonly string[],
    signal: AbortSignal,
  ): Promise<OpenedToolkits> {
    const chosen = choices.map((choice, place) => this.chosen(choices, choice, place, allowed));
    const opened = await Promise.all(
      chosen.map(async (toolkit, place) => {
        const choice = choices[place]!;
        const { name, optional } = toolkit.config;
        let offer: ToolOffer;
        try {
          offer = await toolkit.source.offer(signal);
        } catch (error) {
          if (signal.aborted || !optional || !(error instanceof GatewayError)) throw error;
          return { tools: [], warnings: [`toolkits[${place}]: ${error.message}`] };
        }
        const { tools, warnings } = toolsOf(toolkit, choice, offer);
        if (tools.length === 0)
          throw invalidField(`toolkits[${place}]`, `${name} has no tool that this request can use`);
        return {
          tools,
          warnings: warnings.map(
            (text) => `toolkits[${place}]: ${name} ${toolkit.withoutSecrets(text)}`,
          ),
        };
      }),
    );
    const tools = opened.flatMap((one) => one.tools);
    const warnings = opened.flatMap((one) => one.warnings);
    if (tools.length > maxToolsPerRequest)
      warnings.push(`toolkits: of ${tools.length} tools the first ${maxToolsPerRequest} are used`);
    return { tools: tools.slice(0, maxToolsPerRequest), warnings };
  }

  /**
   * Takes over the connections of an earlier configuration whose settings are the same. The others
   * are closed when the requests in flight do not call them any more.
   */
  inheritFrom(earlier: Toolkits): void {
    const retired: RetiringSource[] = [];
    for (const [name, before] of earlier.byName) {
      const now = this.byName.get(name);
      earlier.handedOver.add(before.source);
      if (now && isDeepStrictEqual(now.config, before.config)) {
        this.byName.set(name, before);
        void now.source.close();
      } else {
        before.source.retire();
        retired.push(before.source);
      }
    }
    this.retired = [...earlier.retired, ...retired].filter(({ isClosed }) => !isClosed);
    earlier.retired = [];
  }

  /** Ends all processes and connections, but for those handed over. Calls in progress get a tool error. */
  async close(): Promise<void> {
    const current = [...this.byName.values()].map(({ source }) => source);
    const own = [...current, ...this.retired].filter((source) => !this.handedOver.has(source));
    await Promise.all(own.map((source) => source.close()));
  }

  private chosen(
    choices: readonly ToolkitChoice[],
    { name }: ToolkitChoice,
    place: number,
    allowed: readonly string[],
  ): OpenToolkit {
    const field = `toolkits[${place}]`;
    if (!allowed.some((glob) => matchesGlob(glob, name)))
      throw invalidField(field, `this API key may not use the toolkit ${shown(name)}`);
    const toolkit = this.byName.get(name);
    if (!toolkit) throw invalidField(field, `there is no toolkit named ${shown(name)}`);
    if (choices.findIndex((choice) => choice.name === name) < place)
      throw invalidField(field, `${name} is named twice`);
    return toolkit;
  }
}

function toolsOf(toolkit: OpenToolkit, choice: ToolkitChoice, offer: ToolOffer): OpenedToolkits {
  const isWanted = ({ name }: OfferedTool): boolean =>
    isListed(toolkit.config.tools, name) && isListed(choice.tools ?? null, name);
  const allowance: CallAllowance = { max: choice.maxCalls ?? null, made: 0 };
  const tools = new Map<string, GatewayTool>();
  const warnings = [...offer.warnings];
  for (const offered of offer.tools.filter(isWanted)) {
    const tool = toolkitTool(toolkit, offered, allowance);
    if (typeof tool === 'string') warnings.push(`has a tool that is left out: ${tool}`);
    else if (tools.has(tool.name)) warnings.push(`lists ${shown(offered.name)} twice`);
    else tools.set(tool.name, tool);
  }
  return { tools: [...tools.values()], warnings };
}

const isListed = (globs: readonly string[] | null, name: string): boolean =>
  globs === null || globs.some((glob) => matchesGlob(glob, name));

/** What offers and runs the tools of a configured toolkit. Nothing is connected yet. */
function createSource(
  config: ToolkitConfig,
  secrets: ToolkitSecrets,
  onErrorLine: (line: string) => void,
): ToolSource {
  const withoutSecrets = (text: string): string => secrets.hideInMessage(text);
  switch (config.type) {
    case 'mcp-stdio':
      return new McpSource(config, stdioSessions(config, onErrorLine), withoutSecrets);
    case 'mcp-http':
      return new McpSource(
        config,
        httpSessions(config, (text) => secrets.learn(text)),
        withoutSecrets,
      );
    case 'openapi':
      return new OpenApiSource(config, withoutSecrets);
    case 'functions':
      return functionsSource(config);
  }
}

/** Tools that are addresses: a call's arguments are sent there as JSON. */
function functionsSource(config: ToolkitConfig<'functions'>): ToolSource {
  const closing = new AbortController();
  return {
    offer: () => Promise.resolve({ tools: config.functions, warnings: [] }),
    async call(tool, args, signal) {
      const called = config.functions.find(({ name }) => name === tool);
      if (!called || closing.signal.aborted)
        return { text: 'The tool is no longer there.', isError: true };
      const headers = { ...config.headers, ...called.headers };
      const request = { method: 'POST', url: called.url, headers, body: JSON.stringify(args) };
      return callHttp(request, config, signal);
    },
    close() {
      closing.abort();
      return Promise.resolve();
    },
  };
}
