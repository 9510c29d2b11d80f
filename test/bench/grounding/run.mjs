// How well answers are grounded, on a generated corpus: links that lead nowhere and are left,
// citations whose quotes are found, evidence in the packed context, and how fast that is.
import { sourceModule } from '../source-module.mjs';
import { short, tableOf } from '../table.mjs';
import { claimsOf, fabricatedAnswer, fabricatedLink, numbers } from './answers.mjs';
import { measureExtraction } from './extraction.mjs';

const budgets = [4_000, 16_000, 64_000];
const mainSize = { cases: 40, corpora: 8, answers: 400, megabytes: 2, citations: 50 };
const quickSize = { cases: 6, corpora: 2, answers: 20, megabytes: 0.2, citations: 10 };
const percent = (share) => `${(100 * share).toFixed(1)} %`;

async function load(dist) {
  const from = (path) => sourceModule(dist, path);
  const { CitedText } = await from('grounding/citations/cited-text');
  const { packPassages } = await from('grounding/search/passages/pack-passages');
  const { estimateTokens } = await from('models/tokens');
  const { atOnce } = await from('async/turns');
  const { evidenceCorpus } = await import('../../helpers/evidence-corpus.ts');
  return { from, CitedText, packPassages, estimateTokens, atOnce, evidenceCorpus };
}

/** A page that is the only source of an answer. */
const sourcesOf = ({ title, text }) => {
  const source = { id: 1, url: 'https://known.example/a', title, text };
  return {
    byId: (id) => (id === 1 ? source : undefined),
    byUrl: (url) => (url === source.url ? source : undefined),
    isKnown: (url) => url === source.url,
  };
};

function fabricated({ CitedText }, { answers }) {
  const next = numbers(1);
  let [links, left] = [0, 0];
  for (let index = 0; index < answers; index++) {
    const answer = new CitedText(sourcesOf({ title: '', text: '' }));
    const text = fabricatedAnswer(20, next);
    let out = '';
    for (let at = 0; at < text.length; at += 7) out += answer.push(text.slice(at, at + 7));
    out += answer.end();
    links += answer.droppedLinks;
    left += out.match(fabricatedLink)?.length ?? 0;
  }
  return [
    ['fabricated links taken out', String(links), ''],
    ['fabricated links left', String(left), '0'],
  ];
}

function quotes({ CitedText, atOnce }, cases) {
  const next = numbers(2);
  const counts = { true: [0, 0], false: [0, 0] };
  for (const { page, text, isTrue } of claimsOf(cases, next)) {
    const answer = new CitedText(sourcesOf(page));
    answer.push(`${text} [1].`);
    answer.end();
    const [citation] = atOnce(answer.citations());
    counts[isTrue][0] += (citation?.verified === 'text') === isTrue ? 1 : 0;
    counts[isTrue][1]++;
  }
  const row = ([right, all]) => `${percent(right / all)} of ${all}`;
  return [
    ['true claims whose quote is found', row(counts.true), '≥ 95 %'],
    ['false claims marked as not verified', row(counts.false), ''],
  ];
}

/** Whole pages in the order of the engine, as long as they fit. */
function wholePages({ estimateTokens }, pages, maxTokens) {
  let left = maxTokens;
  let context = '';
  for (const { text } of pages) {
    const tokens = estimateTokens(text);
    context += tokens <= left ? text : text.slice(0, Math.floor((text.length * left) / tokens));
    left -= Math.min(left, tokens);
  }
  return context;
}

/** Over several corpora: on one alone, the share depends by several percent on its seed. */
function recall(loaded, corpora) {
  const shareIn = (cases, contextOf) => {
    let [found, all] = [0, 0];
    for (const one of cases) {
      const context = contextOf(one);
      found += one.evidence.filter((sentence) => context.includes(sentence)).length;
      all += one.evidence.length;
    }
    return found / all;
  };
  const share = (contextOf) => {
    const shares = corpora.map((cases) => shareIn(cases, contextOf)).sort((a, b) => a - b);
    const mean = shares.reduce((sum, one) => sum + one, 0) / shares.length;
    return `${percent(mean)} (${percent(shares[0])} to ${percent(shares.at(-1))})`;
  };
  return budgets.map((maxTokens) => {
    const packed = share(({ question, pages }) =>
      loaded
        .atOnce(loaded.packPassages(question, pages, { maxTokens }))
        .flatMap(({ passages }) => passages.map(({ text }) => text))
        .join('\n'),
    );
    const plain = share(({ pages }) => wholePages(loaded, pages, maxTokens));
    return [
      `evidence in ${maxTokens / 1_000}k tokens, packed / whole pages`,
      `${packed} / ${plain}`,
      '',
    ];
  });
}

/** Of this process alone: others on the machine only make it slower. */
function cpuSeconds(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function speed({ CitedText, atOnce }, cases, { megabytes, citations }) {
  const sentence =
    'Some words of an answer that cites a page [1], and [another](https://known.example/a). ';
  const text = sentence.repeat(Math.ceil((megabytes * 1e6) / sentence.length));
  const answer = new CitedText(sourcesOf({ title: '', text: '' }));
  const seconds = cpuSeconds(() => {
    for (let at = 0; at < text.length; at += 20) answer.push(text.slice(at, at + 20));
    answer.end();
  });

  const source = cases
    .flatMap(({ pages }) => pages.map(({ text }) => text))
    .join('\n\n')
    .slice(0, 200_000);
  const cited = new CitedText(sourcesOf({ title: '', text: source }));
  const next = numbers(3);
  const claims = claimsOf(cases, next).slice(0, citations);
  cited.push(claims.map((claim) => `${claim.text} [1].`).join(' '));
  cited.end();
  let found = 0;
  const each = (1_000 * cpuSeconds(() => (found = atOnce(cited.citations()).length))) / citations;
  return [
    [
      'filter, deltas of 20 characters, MB per second of CPU',
      short(text.length / 1e6 / seconds),
      '',
    ],
    [
      `ms of CPU per citation, ${found} of a source of ${Math.round(source.length / 1_000)} kB`,
      short(each),
      '',
    ],
  ];
}

async function extraction({ from }, folder) {
  if (!folder) return [['extraction of articles', 'EXTRACTION_DATA names no folder', '']];
  const { runExtraction } = await from('grounding/reading/extraction/run-extraction');
  const { articles, precision, recall: found, f1 } = await measureExtraction(folder, runExtraction);
  const figures = `${f1.toFixed(3)} / ${precision.toFixed(3)} / ${found.toFixed(3)}`;
  return [[`extraction of ${articles} articles, F1 / precision / recall`, figures, '']];
}

/** Measures and prints a table. */
export async function runGrounding({ dist, quick }) {
  const loaded = await load(dist);
  const size = quick ? quickSize : mainSize;
  const cases = loaded.evidenceCorpus(size.cases);
  const corpora = Array.from({ length: size.corpora }, (_, at) =>
    loaded.evidenceCorpus(size.cases, at + 1),
  );
  const rows = [
    ['generated corpus for claims', `${size.cases} questions, seed 5`, ''],
    [
      'generated corpora for evidence',
      `${size.corpora} of ${size.cases} questions, seeds 1 to ${size.corpora}`,
      '',
    ],
    ...fabricated(loaded, size),
    ...quotes(loaded, cases),
    ...recall(loaded, corpora),
    ...speed(loaded, cases, size),
    ...(await extraction(loaded, process.env.EXTRACTION_DATA)),
  ];
  console.log(`\n${tableOf([['what', 'measured', 'goal'], ...rows])}\n`);
}
