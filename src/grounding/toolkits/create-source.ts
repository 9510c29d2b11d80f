import type { ToolkitConfig } from '../../config/toolkit-config.js';
import { functionsSource } from './functions-source.js';
import { httpSessions } from './mcp/open-http.js';
import { McpSource } from './mcp/mcp-source.js';
import { stdioSessions } from './mcp/open-stdio.js';
import { OpenApiSource } from './openapi/openapi-source.js';
import type { ToolSource } from './tool-source.js';

/** What offers and runs the tools of a configured toolkit. Nothing is connected yet. */
export function createSource(
  config: ToolkitConfig,
  withoutSecrets: (text: string) => string,
  onErrorLine: (line: string) => void,
): ToolSource {
  switch (config.type) {
    case 'mcp-stdio':
      return new McpSource(config, stdioSessions(config, onErrorLine), withoutSecrets);
    case 'mcp-http':
      return new McpSource(config, httpSessions(config), withoutSecrets);
    case 'openapi':
      return new OpenApiSource(config, withoutSecrets);
    case 'functions':
      return functionsSource(config);
  }
}
