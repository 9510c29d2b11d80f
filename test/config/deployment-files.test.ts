import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ownEnds } from '../../src/dispatch/attempt-log.js';
import { idleMetrics } from '../helpers/metrics.js';
import { buildOnce } from '../helpers/build.js';
import { endProcesses, newFolder, startProcess } from '../helpers/process.js';
import { post } from '../helpers/sse.js';

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const read = (path: string): string => readFileSync(pathOf(path), 'utf8');
/** Runs a tool; null if this machine does not have it. */
const tool = (name: string, ...words: string[]): { status: number | null; text: string } | null => {
  const { error, status, stdout, stderr } = spawnSync(name, words, { encoding: 'utf8' });
  return error ? null : { status, text: stdout + stderr };
};

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string };
}

describe('the alert rules', () => {
  const { groups } = parse(read('config/alerts.yml')) as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);

  it('ask only for metrics and labels that there are', async () => {
    const { text } = await idleMetrics().page(undefined);
    const names = new Set(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
      ),
    );
    const sources = [read('src/telemetry/metrics/instruments.ts')];
    for (const { alert, expr } of rules) {
      const asked = [...expr.matchAll(/\b(?:signalbox|gen_ai)_\w+(?=[{[) ]|$)/g)].map(
        ([name]) => name,
      );
      const labels = [
        ...[...expr.matchAll(/(\w+)[=!]~?"/g)].map(([, label]) => label ?? ''),
        ...[...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => list?.split(', ') ?? []),
      ];
      const metrics = asked.filter((name) => !labels.includes(name));
      if (alert !== 'SignalboxDown') expect(metrics.length, alert).toBeGreaterThan(0);
      for (const name of metrics) expect([...names], alert).toContain(name);
      for (const label of labels.filter((name) => !['le', 'job'].includes(name)))
        expect(sources.join(''), `${alert}: ${label}`).toContain(`'${label}'`);
    }
  });

  it('count as failures of a provider what its health counts', () => {
    const { expr } = rules.find(({ alert }) => alert === 'SignalboxProviderFailing')!;
    const leftOut = [...expr.matchAll(/outcome!~"([^"]+)"/g)].map(([, list]) => list!.split('|'));
    const ours = [...ownEnds].sort();
    expect(leftOut.map((list) => list.sort())).toEqual([
      [...ours, 'ok', 'model_not_found', 'request_refused'].sort(),
      ours,
    ]);
  });

  it('are all in the table of the documentation', () => {
    const page = read('docs/operations.md');
    for (const { alert } of rules) expect(page).toContain(`\`${alert}\``);
  });

  it('have names of their own, a severity, and a summary that a person understands', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, labels, annotations } of rules) {
      expect(alert).toMatch(/^Signalbox[A-Z]\w+$/);
      expect(['info', 'warning', 'critical']).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(20);
    }
  });

  it('are valid for promtool', ({ skip }) => {
    const checked = tool('promtool', 'check', 'rules', pathOf('config/alerts.yml'));
    if (!checked) skip('there is no promtool');
    expect(checked).toMatchObject({ status: 0 });
  });

  it('are read by the example of a scrape configuration', () => {
    expect(parse(read('config/prometheus.yml'))).toMatchObject({ rule_files: ['alerts.yml'] });
  });
});

interface Service {
  image?: string;
  build?: { context: string; dockerfile: string };
  ports?: string[];
  volumes?: string[];
  depends_on?: Record<string, object>;
  configs?: { source: string }[];
}

describe('config/compose.yaml', () => {
  const compose = parse(read('config/compose.yaml')) as {
    services: Record<string, Service>;
    volumes: Record<string, null>;
    configs: Record<string, { content: string }>;
  };
  const services = Object.entries(compose.services);

  it('starts the gateway with PostgreSQL, Redis, Prometheus and Grafana, for this machine alone', () => {
    expect(Object.keys(compose.services).sort()).toEqual([
      'gateway',
      'grafana',
      'postgres',
      'prometheus',
      'redis',
    ]);
    for (const [name, { ports = [], image = '' }] of services) {
      for (const port of ports) expect(port, name).toMatch(/^127\.0\.0\.1:/);
      if (name !== 'gateway') expect(image, name).toMatch(/:v?\d/);
    }
  });

  it('names only files, volumes, configurations and services that there are', () => {
    const { build } = compose.services['gateway'] ?? {};
    expect(existsSync(pathOf(`config/${build?.context}/${build?.dockerfile}`))).toBe(true);
    for (const [name, { volumes = [], depends_on = {}, configs = [] }] of services) {
      for (const volume of volumes) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('./'))
          expect(existsSync(pathOf(`config/${source}`)), volume).toBe(true);
        else expect(Object.keys(compose.volumes), name).toContain(source);
      }
      for (const other of Object.keys(depends_on)) expect(compose.services).toHaveProperty(other);
      for (const { source } of configs) expect(compose.configs).toHaveProperty(source);
    }
    for (const { content } of Object.values(compose.configs))
      expect(parse(content)).toBeTypeOf('object');
  });

  it('is valid for docker compose', ({ skip }) => {
    const file = pathOf('config/compose.yaml');
    if (tool('docker', 'compose', 'version')?.status !== 0) skip('there is no docker compose');
    const { status, stderr } = spawnSync('docker', ['compose', '-f', file, 'config', '--quiet'], {
      encoding: 'utf8',
      env: { ...process.env, POSTGRES_PASSWORD: 'a', GRAFANA_PASSWORD: 'b' },
    });
    expect({ status, stderr }).toMatchObject({ status: 0 });
  });
});

afterEach(endProcesses);

describe('the image', () => {
  const dockerfile = read('config/Dockerfile');
  const context = read('.dockerignore');

  it('copies only files that there are and that its context has', () => {
    const allowed = context
      .split('\n')
      .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      ([, list = '']) => list.split(' '),
    );
    expect(copied.length).toBeGreaterThan(8);
    for (const file of copied) {
      expect(existsSync(pathOf(file)), file).toBe(true);
      expect(allowed, file).toContain(file.split('/')[0]);
    }
    expect(context.split('\n')).toContain('*');
  });

  it('has all that the gateway needs to answer', { timeout: 120_000 }, async () => {
    await buildOnce();
    const image = newFolder();
    const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM'));
    for (const [, list = '', target = ''] of lastStage.matchAll(
      /^COPY (?:--from=\w+ )?(.+) (\S+)$/gm,
    ))
      for (const file of list.split(' ').map((name) => name.replace('/app/', ''))) {
        const place = join(image, target, target.endsWith('/') ? file : '');
        if (file === 'node_modules') symlinkSync(pathOf(file), place);
        else cpSync(pathOf(file), place, { recursive: true });
      }
    const { url, auth } = await startProcess({ cli: join(image, 'dist/cli/main.js') });
    const question = { model: 'auto', messages: [{ role: 'user', content: 'Say hello' }] };
    expect((await post(`${url}/v1/chat/completions`, question, auth)).status).toBe(200);
  });

  it('installs packages before it copies sources, and runs as another user than root', () => {
    expect(dockerfile.indexOf('npm ci')).toBeLessThan(dockerfile.indexOf('COPY src'));
    expect(dockerfile).toMatch(/npm ci --omit=dev --ignore-scripts/);
    expect(dockerfile).toMatch(/^USER node$/m);
  });
});

describe('the systemd unit', () => {
  it('is valid and leaves the process few rights', ({ skip }) => {
    const unit = pathOf('config/signalbox.service');
    const verified = tool('systemd-analyze', 'verify', '--man=no', unit);
    if (!verified) skip('there is no systemd-analyze');
    // systemd looks for the program, which is elsewhere here
    const lines = (verified?.text ?? '').split('\n').filter((line) => line.includes(unit));
    expect(lines.filter((line) => !line.includes('is not executable'))).toEqual([]);
    const security = tool('systemd-analyze', 'security', '--offline=true', unit);
    const exposure = /exposure level for \S+: ([\d.]+)/.exec(security?.text ?? '')?.[1];
    if (exposure !== undefined) expect(Number(exposure)).toBeLessThan(2.5);
  });

  it('lets requests in flight end, and keeps keys out of the unit', () => {
    const unit = read('config/signalbox.service');
    expect(unit).toMatch(/^TimeoutStopSec=40$/m);
    expect(unit).toMatch(/^EnvironmentFile=-\/etc\/signalbox\/environment$/m);
    expect(unit).not.toMatch(/^Environment=.*KEY/m);
  });
});
