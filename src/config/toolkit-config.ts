import type { ToolkitInput } from './config-input.js';

/** The generation of the protocol that an MCP server is spoken to in. */
export type McpEra = NonNullable<ToolkitInput['era']>;

/** How an access token is got by OAuth's client credentials. */
export interface ClientCredentialsConfig {
  /** Null: the server names it. */
  readonly tokenUrl: string | null;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Null: none is asked for. */
  readonly scope: string | null;
}

/** A tool that is an address which takes a call's arguments as JSON. */
export interface ToolkitFunctionConfig {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What every toolkit has. */
export interface ToolkitRules {
  /** Lower-case letters, digits and single `-` and `_` between them, at most 32. */
  readonly name: string;
  /** Names or globs of the tools that requests may use; null: all. */
  readonly tools: readonly string[] | null;
  /** Names or globs of the tools whose calls are handed to the client. */
  readonly clientApproval: readonly string[];
  readonly optional: boolean;
  /** USD. */
  readonly pricePerCall: number;
  readonly timeoutMs: number;
  readonly maxResultChars: number;
}

/** An MCP server that the gateway starts. */
export interface StdioToolkitConfig extends ToolkitRules {
  readonly type: 'mcp-stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly era: McpEra;
}

/** An MCP server at an address. */
export interface HttpToolkitConfig extends ToolkitRules {
  readonly type: 'mcp-http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly era: McpEra;
  readonly auth: ClientCredentialsConfig | null;
}

/** An HTTP API with an OpenAPI document. */
export interface OpenApiToolkitConfig extends ToolkitRules {
  readonly type: 'openapi';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: the document's own. */
  readonly baseUrl: string | null;
  /** Null: all. */
  readonly operations: readonly string[] | null;
}

/** Addresses that take arguments as JSON. */
export interface FunctionsToolkitConfig extends ToolkitRules {
  readonly type: 'functions';
  readonly headers: Readonly<Record<string, string>>;
  readonly functions: readonly ToolkitFunctionConfig[];
}

/** The settings of one toolkit. */
export type ToolkitConfig =
  StdioToolkitConfig | HttpToolkitConfig | OpenApiToolkitConfig | FunctionsToolkitConfig;
