// How much of articles the extraction of pages finds, on a public set in the form of scrapinghub's
// article-extraction-benchmark: `ground-truth.json` is an object of `{ articleBody }` by id, and
// `html/<id>.html.gz` are the pages. The figures are computed as there: shingles of four words, each
// article counts alike, F1 of the mean precision and the mean recall.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const size = 4;
const limits = { maxTextLength: 1_000_000, maxPdfPages: 1 };

function shingles(text) {
  const words = text.match(/[\p{L}\p{N}_]+/gu) ?? [];
  const counts = new Map();
  for (let at = 0; at < Math.max(1, words.length - size + 1); at++) {
    const key = words.slice(at, at + size).join(' ');
    if (key !== '') counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function compare(expected, found) {
  const [right, ours] = [shingles(expected), shingles(found)];
  const sum = (counts) => [...counts.values()].reduce((total, count) => total + count, 0);
  let shared = 0;
  for (const [key, count] of ours) shared += Math.min(count, right.get(key) ?? 0);
  const [rightCount, oursCount] = [sum(right), sum(ours)];
  return {
    precision: oursCount === 0 ? null : shared / oursCount,
    recall: rightCount === 0 ? null : shared / rightCount,
  };
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const known = (values) => values.filter((value) => value !== null);

async function textOf(runExtraction, bytes, url) {
  let text = '';
  const task = { kind: 'html', bytes: new Uint8Array(bytes), url, charset: 'utf-8', limits };
  await runExtraction(task, (message) => {
    if (message.kind === 'end') text = message.page.text;
  });
  // links are written as `[text](url)`
  return text.replace(/!?\[([^[\]]*)\]\([^()\s]*\)/g, '$1');
}

/** @returns precision, recall and F1 of the articles in a folder */
export async function measureExtraction(folder, runExtraction) {
  const truth = JSON.parse(readFileSync(join(folder, 'ground-truth.json'), 'utf8'));
  const compared = [];
  for (const [id, { articleBody = '', url = 'https://example.org/' }] of Object.entries(truth)) {
    const html = gunzipSync(readFileSync(join(folder, 'html', `${id}.html.gz`)));
    compared.push(compare(articleBody, await textOf(runExtraction, html, url)));
  }
  const precision = mean(known(compared.map((each) => each.precision)));
  const recall = mean(known(compared.map((each) => each.recall)));
  return {
    articles: compared.length,
    precision,
    recall,
    f1: (2 * precision * recall) / (precision + recall || 1),
  };
}
