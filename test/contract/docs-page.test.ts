import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import express from 'express';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { startHost } from '../helpers/host.js';
import { at, textAt } from '../helpers/json.js';
import { ask } from '../helpers/sse.js';

let gateway: RunningGateway;
let text: string;
let paths: Record<string, Record<string, unknown>>;
beforeAll(async () => {
  gateway = await startGateway();
  text = (await ask('GET', `${gateway.url}/docs`)).text;
  const { json } = await ask('GET', `${gateway.url}/openapi.json`);
  paths = at(json, 'paths') as typeof paths;
});
afterAll(() => gateway.close());

const section = (id: string): string =>
  new RegExp(`<section id="${id}"[^>]*>.*?</section>`, 's').exec(text)?.[0] ?? '';
const unescaped = (html: string): string =>
  html.replace(/&#(\d+);/g, (_whole, code: string) => String.fromCharCode(Number(code)));

describe('/docs', () => {
  it('is a page that loads and runs nothing but its own script', async () => {
    const { headers, text: page } = await ask('GET', `${gateway.url}/docs`);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const policy = Object.fromEntries(
      String(headers['content-security-policy'])
        .split(';')
        .map((part) => [part.split(' ')[0], part.split(' ').slice(1).join(' ')]),
    );
    expect(policy).toEqual({
      'default-src': "'none'",
      'style-src': "'unsafe-inline'",
      'script-src': expect.stringMatching(/^'nonce-[\w+/]{22}=='$/) as string,
      'connect-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    });
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(text).toMatch(/^<!doctype html><html lang="en">/);
    const nonce = /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1] ?? '';
    const script = `<script type="module" src="docs/try-it.js" nonce="${nonce}"></script>`;
    expect(page).toContain(script);
    expect(page.replace(script, '')).not.toMatch(
      /<script|<link|<img|<iframe|\son\w+=|src=|javascript:/i,
    );
  });

  it('names every operation in its group, and leads only to places that are there', () => {
    for (const [path, methods] of Object.entries(paths)) {
      expect(text).toContain(`<code>${path}</code>`);
      for (const operation of Object.values(methods))
        if ('operationId' in Object(operation))
          expect(section(textAt(operation, 'operationId')), path).not.toBe('');
    }
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target] of text.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
    const groups = [...text.matchAll(/<h2 id="group-[^"]+">([^<]+)</g)].map(([, name]) => name);
    expect(groups.slice(0, 3)).toEqual(['Completions', 'Model selection', 'Models']);
  });

  it('begins with a list of what there is, without the paths for earlier clients', () => {
    const contents = /<nav.*?<\/nav>/s.exec(text)?.[0] ?? '';
    expect(contents).toContain('<a href="#listRequests">');
    expect(contents).not.toContain('#selectModelCamelCase');
    for (const [group] of contents.matchAll(/<div>.*?<\/div>/gs)) {
      const names = [...group.matchAll(/<a [^>]+>([^<]+)</g)].map(([, name]) => name);
      expect(new Set(names).size, group).toBe(names.length);
    }
  });

  it('tells what may be asked in the query, what a body is made of, and which errors there are', () => {
    for (const name of ['limit', 'cursor', 'status', 'from'])
      expect(section('listRequests')).toContain(`<code>?${name}=</code>`);
    expect(section('listRequests')).toContain('<a href="#RequestList">RequestList</a>');
    expect(section('getRequest')).toContain('<summary>Errors: 401, 403, 404, 429, 500, 503<');
    expect(section('createKey')).toContain('<code>limits</code>');
    expect(section('createKey')).toMatch(/<code>name<\/code> <small>required/);
  });

  it('tells the type and the meaning of a field where the field is', () => {
    expect(section('createKey')).toContain(
      '<code>(&#34;completions&#34; | &#34;model-select&#34; | &#34;admin&#34;)[] | null</code></td><td>What the key allows',
    );
    expect(section('createCompletion')).toMatch(/<code>temperature<.{1,60}<td>[^<]/);
    expect(section('createCompletion')).toContain('<a href="#CompletionsRequestMessage">');
    const fields = [...text.matchAll(/<td><code>\w*Request\w*<\/code>/g)];
    expect(fields).toEqual([]);
  });

  it('breaks the lines of long commands', () => {
    const commands = [...text.matchAll(/<pre tabindex="0"><code>(.*?)<\/code>/gs)].map(
      ([, code]) => code ?? '',
    );
    for (const line of commands.flatMap((command) => unescaped(command).split('\n')))
      expect(line.length, line).toBeLessThan(120);
  });

  it('shows a command to paste for each operation, for the place where it was asked', async () => {
    expect(unescaped(section('createKey'))).toContain(
      `curl ${gateway.url}/api/v1/keys \\\n  -H "Authorization: Bearer $SIGNALBOX_API_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{"name": "website",`,
    );
    expect(unescaped(section('signIn'))).not.toContain('Authorization');
    const host = await startHost(express().use('/ai', gateway.gateway.router));
    const mounted = (await ask('GET', `${host.url}/ai/docs`)).text;
    await host.close();
    expect(mounted).toContain(`curl ${host.url}/ai/api/v1/completions`);
    const commands = [...text.matchAll(/<pre tabindex="0"><code>(.*?)<\/code>/gs)].map(
      ([, code]) => code ?? '',
    );
    expect(commands.length).toBeGreaterThan(60);
    for (const command of commands) expect(unescaped(command)).toMatch(/^curl [^{}<>]+(-d '|-F|$)/);
  });

  it('does not repeat a Host header that is no name', async () => {
    const headers = { host: 'a"><b>' };
    const reply = await ask('GET', `${gateway.url}/docs`, headers);
    expect(reply.text).not.toContain('a"><b>');
  });
});
