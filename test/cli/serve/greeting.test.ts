import { describe, expect, it } from 'vitest';
import { greeting, listensLine } from '../../../src/cli/serve/greeting.js';
import { parseConfig } from '../../../src/config/config.js';

const shown = (more: Partial<Parameters<typeof greeting>[0]> = {}): string =>
  greeting(
    {
      config: parseConfig('', 'config', {}),
      listening: {
        common: { host: '0.0.0.0', port: 8080 },
        surfaces: {},
        announceStop: () => undefined,
        stop: () => Promise.resolve(),
      },
      secret: null,
      isUnclaimed: false,
      providers: ['openai'],
      isDemo: false,
      ...more,
    },
    'node dist/cli/main.js',
  );

describe('the lines that a terminal shows at the start', () => {
  it('have one secret, and end with the address to open', () => {
    const withKey = shown({ secret: { kind: 'key', text: 'sk_new' }, isUnclaimed: true });
    expect(withKey).toContain(`
Your API key, shown this once:

  sk_new

(the database stores only its hash; if it is lost: node dist/cli/main.js keys create --name new --scopes completions,model-select,admin)
`);
    expect(withKey).toContain('-H "Authorization: Bearer sk_new"');
    expect(withKey).not.toContain('code');
    expect(withKey).toMatch(
      /\n\nOpen the dashboard and become its administrator with this key: http:\/\/127\.0\.0\.1:8080\/\n$/,
    );
    const withCode = shown({ secret: { kind: 'claimCode', text: 'c0de' }, isUnclaimed: true });
    expect(withCode).toContain(`
The code that makes you administrator, shown this once:

  c0de

(the database stores only its hash; if it is lost: node dist/cli/main.js accounts claim-code)
`);
    expect(withCode).toMatch(/administrator with this code: http:\/\/127\.0\.0\.1:8080\/\n$/);
    expect(shown()).toMatch(/\n\nDashboard: http:\/\/127\.0\.0\.1:8080\/\n$/);
  });

  it('name the route that claims the gateway where there is no dashboard', () => {
    const config = parseConfig('dashboard: false', 'config', {});
    const text = shown({ config, secret: { kind: 'claimCode', text: 'c0de' }, isUnclaimed: true });
    expect(text).toMatch(
      /administrator with this code: POST http:\/\/127\.0\.0\.1:8080\/api\/v1\/auth\/claim \{"code", "email", "password"\}\n$/,
    );
    expect(text).not.toContain('Dashboard');
  });

  it('say later what to do if the key is lost, and how to claim an unclaimed gateway', () => {
    const text = shown({ isUnclaimed: true });
    expect(text).not.toContain('sk_');
    expect(text).toContain(
      'With your key in SIGNALBOX_API_KEY (if it is lost: node dist/cli/main.js keys create --name new --scopes completions,model-select,admin):',
    );
    expect(text).toContain('this gateway has no administrator yet');
    expect(shown()).not.toContain('claim');
  });

  it('have the address in one line, as the log has it', () => {
    expect(
      listensLine({
        listening: {
          common: { host: '::', port: 9 },
          surfaces: {},
          announceStop: () => undefined,
          stop: () => Promise.resolve(),
        },
        providers: ['a', 'b'],
        isDemo: false,
      }),
    ).toBe('Signalbox listens on http://127.0.0.1:9 with a, b');
  });
});
