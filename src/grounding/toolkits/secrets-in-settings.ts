import type { ToolkitConfig } from '../../config/toolkit-config.js';
import { secretsOf } from '../../dispatch/secrets.js';

const namesSecret = /auth|cookie|credential|key|pass|secret|token/i;

/** What hides the secrets of a toolkit's settings in a text that the toolkit has written. */
export function secretFilter(config: ToolkitConfig): (text: string) => string {
  const secrets = secretsOf(writtenSecrets(config));
  return (text) =>
    secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '[redacted]'), text);
}

function writtenSecrets(config: ToolkitConfig): string[] {
  switch (config.type) {
    case 'mcp-stdio':
      return valuesOf(config.env);
    case 'mcp-http':
      return [...valuesOf(config.headers), ...(config.auth ? [config.auth.clientSecret] : [])];
    case 'openapi':
      return valuesOf(config.headers);
    case 'functions':
      return [config, ...config.functions].flatMap(({ headers }) => valuesOf(headers));
  }
}

const valuesOf = (named: Readonly<Record<string, string>>): string[] =>
  Object.entries(named).flatMap(([name, value]) => (namesSecret.test(name) ? [value] : []));
