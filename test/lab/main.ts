import { parseArgs, type ParseArgsConfig } from 'node:util';

const usage = `The router's laboratory: evaluates how well the router chooses, and fits the predictor that is shipped.

  npm run lab -- evaluate [--data DIR] [--out DIR] [--card FILE] [--quick]
      Compares the router with baselines on published evaluations and prints all tables.
      --out DIR     also writes report.md, report.json and cost-quality.svg
      --card FILE   also replaces the figures in a model card and the plot beside it
      --quick       one fold, three families, wide intervals: some minutes instead of about three quarters of an hour

  npm run lab -- fit-shipped --out DIR [--data DIR] [--seed N]
      Fits the predictor, writes DIR/router.bin and updates DIR/MODEL_CARD.md, which must exist.
      The same evaluations and seed give the same bytes. The shipped one is in config/router.

  npm run lab -- abilities [--data DIR] [--out FILE]
      Brings published results of models to one scale, by kind of task, language and reasoning
      effort, and prints the best known models. --out FILE also writes all of them as JSON.

  npm run lab -- reasoning-tokens [--data DIR] [--out FILE]
      Makes the table of reasoning tokens by model and effort from published counts. The shipped one
      is config/models/reasoning-tokens.json.

  npm run lab -- choice [--data DIR] [--categories]
      Judges the shipped choice among models of today: what \`cost\` saves on five pools, which prompts
      small models answer, and the order of models. --categories: instead, the order of models in
      one category of published results after the other, each predicted from all others.

  npm run lab -- money [--data DIR] [--out FILE] [--rate USD] [--saving USD] [--window SHARE]
      Prints what choices cost and are worth: people's conversations and graded answers, by the shipped
      rules, by those before, by each setting of the dial, and by a rate (USD that one more good answer
      is worth) beside a window of quality that is never paid for. --rate, --window and --saving (the
      rate of \`cost\`) judge others than the shipped ones. --out FILE draws rates and windows on graded
      answers as SVG. A quarter of a minute.

  npm run lab -- pairs [--data DIR] [--quick] [--bounds]
      Judges how well the ranker tells on which prompts a strong model is worth its price: each family
      kept back from all that is fitted, beside prompt length and chance. Three quarters of an hour;
      --quick: three families. --bounds: instead, what any signal of a text tells about unknown
      families, and what labelled prompts add; a quarter of an hour.

  npm run lab -- lengths [--data DIR] [--out FILE]
      Compares expected lengths of answers with published ones, each source kept back once, and says
      how far they are apart. --out FILE writes the corrections; config/models/answer-lengths.json
      is the shipped one.

  npm run lab -- outlook [--data DIR] [--out FILE]
      Fits what reads kinds, languages and difficulty of requests, with some of them kept back, and
      says how well those are judged. --out FILE fits all and writes config/router/outlook.bin.

  --data DIR is the folder of published evaluations; without it ROUTING_DATA, then ../shared/routing-data.
`;

const options = {
  data: { type: 'string' },
  out: { type: 'string' },
  card: { type: 'string' },
  quick: { type: 'boolean' },
  bounds: { type: 'boolean' },
  categories: { type: 'boolean' },
  seed: { type: 'string' },
  rate: { type: 'string' },
  saving: { type: 'string' },
  window: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsConfig['options'];

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

interface Command {
  readonly options: readonly (keyof typeof options)[];
  run(values: Values): Promise<string>;
}

/* Commands are imported when they run: transpiling all sources takes a second or more. */
const commands: Readonly<Record<string, Command>> = {
  evaluate: {
    options: ['data', 'out', 'card', 'quick'],
    run: async ({ data, out, card, quick = false }) => {
      const { evaluateRouter } = await import('./commands/evaluate.js');
      return evaluateRouter({ data, out, card, quick });
    },
  },
  abilities: {
    options: ['data', 'out'],
    run: async ({ data, out }) => {
      const { printAbilities } = await import('./commands/fit-abilities.js');
      return printAbilities({ data, out });
    },
  },
  'reasoning-tokens': {
    options: ['data', 'out'],
    run: async ({ data, out }) => {
      const { printReasoningTokens } = await import('./commands/fit-reasoning.js');
      return printReasoningTokens({ data, out });
    },
  },
  lengths: {
    options: ['data', 'out'],
    run: async ({ data, out }) => {
      const { printLengths } = await import('./commands/calibrate-lengths.js');
      return printLengths({ data, out });
    },
  },
  outlook: {
    options: ['data', 'out'],
    run: async ({ data, out }) => {
      const { printOutlook } = await import('./commands/fit-outlook.js');
      return printOutlook({ data, out });
    },
  },
  pairs: {
    options: ['data', 'quick', 'bounds'],
    run: async ({ data, quick = false, bounds = false }) => {
      if (bounds) {
        const { printPairBounds } = await import('./commands/judge-pair-bounds.js');
        return printPairBounds({ data });
      }
      const { printPairs } = await import('./commands/judge-pairs.js');
      return printPairs({ data, quick });
    },
  },
  choice: {
    options: ['data', 'categories'],
    run: async ({ data, categories = false }) => {
      if (categories) {
        const { judgeCategories } = await import('./commands/judge-categories.js');
        return judgeCategories(data === undefined ? {} : { data });
      }
      const { judgeChoice } = await import('./commands/judge-choice.js');
      return judgeChoice(data === undefined ? {} : { data });
    },
  },
  money: {
    options: ['data', 'out', 'rate', 'saving', 'window'],
    run: async ({ data, out, rate, saving, window }) => {
      const { printMoney } = await import('./commands/judge-money.js');
      const given = Object.entries({ rate, saving, window }).flatMap(([name, written]) =>
        written === undefined ? [] : [[name, Number(written)] as const],
      );
      return printMoney({ data, out, terms: Object.fromEntries(given) });
    },
  },
  'fit-shipped': {
    options: ['data', 'out', 'seed'],
    run: async ({ data, out, seed = '1' }) => {
      const { fitShippedPredictor } = await import('./commands/fit-shipped.js');
      return fitShippedPredictor({ data, out, seed });
    },
  },
};

/** Runs the command that the arguments name. @returns what to print @throws Error for people */
async function run(): Promise<string> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  if (values.help) return usage;
  const [name = '', ...extra] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command)
    throw new Error(`the laboratory has no command ${JSON.stringify(name)}\n\n${usage}`);
  if (extra[0] !== undefined)
    throw new Error(`${name}: unexpected argument ${JSON.stringify(extra[0])}`);
  const allowed: readonly string[] = command.options;
  const unknown = Object.keys(values).find((option) => !allowed.includes(option));
  if (unknown !== undefined) throw new Error(`${name}: unknown option --${unknown}`);
  return command.run(values);
}

try {
  process.stdout.write(await run());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
