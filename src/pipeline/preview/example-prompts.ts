/** A prompt that shows what a preference would choose. */
export interface ExamplePrompt {
  readonly id: string;
  /** The kind of task, for people. */
  readonly kind: 'code' | 'mathematics' | 'writing' | 'facts' | 'extraction' | 'reasoning' | 'chat';
  readonly prompt: string;
}

/** Prompts of many kinds, from easy to hard, on which preferences show their effect. */
export const examplePrompts: readonly ExamplePrompt[] = [
  { id: 'greeting', kind: 'chat', prompt: 'Good morning! How are you?' },
  { id: 'capital', kind: 'facts', prompt: 'What is the capital of Slovenia?' },
  {
    id: 'sentiment',
    kind: 'extraction',
    prompt:
      'Is this review positive, negative or mixed? Answer with one word.\n\nThe room was clean and the staff helpful, but the lift was broken all week.',
  },
  {
    id: 'invoice',
    kind: 'extraction',
    prompt:
      'Give me the invoice number, the date and the total as JSON.\n\nInvoice 2026-0417, issued on 3 May 2026. Two desks at 310 EUR, delivery 25 EUR, VAT 19 %: 767.55 EUR.',
  },
  {
    id: 'translation',
    kind: 'writing',
    prompt:
      'Translate into German: The meeting is moved to Thursday at ten, because the auditors arrive a day later than planned.',
  },
  {
    id: 'apology',
    kind: 'writing',
    prompt:
      'Write a short, friendly mail to a customer whose parcel arrived two weeks late. Offer a voucher of ten euros.',
  },
  {
    id: 'story',
    kind: 'writing',
    prompt:
      'Write the opening page of a mystery that is set in a lighthouse. The narrator must be unreliable, and the reader should notice it only in the last sentence.',
  },
  {
    id: 'minutes',
    kind: 'writing',
    prompt:
      'Turn these notes into minutes with decisions and owners: budget ok (Mara checks travel); launch moved to June, Tom tells sales; hiring frozen until Q3; next meeting 12th.',
  },
  {
    id: 'regex',
    kind: 'code',
    prompt: 'Write a regular expression that matches ISO 8601 dates such as 2026-11-23.',
  },
  {
    id: 'debounce',
    kind: 'code',
    prompt:
      'Write a TypeScript function `debounce(fn, ms)` with a `cancel` method and correct types for its arguments, and three unit tests for it.',
  },
  {
    id: 'race',
    kind: 'code',
    prompt:
      'Two workers claim jobs with `SELECT … LIMIT 1` and then `UPDATE … SET owner = ?`. Now and then a job runs twice. Explain the race, and fix it for PostgreSQL without blocking the other workers.',
  },
  {
    id: 'lock-free',
    kind: 'code',
    prompt:
      'Implement a lock-free bounded queue for many producers and one consumer in C++20. Justify each memory order, and show why the ABA problem cannot occur.',
  },
  {
    id: 'query',
    kind: 'code',
    prompt:
      'Tables: orders(id, customer_id, placed_at, total), customers(id, country). Write SQL for the three best customers of each country by their totals of the last 90 days.',
  },
  { id: 'percent', kind: 'mathematics', prompt: 'What is 17 % of 460?' },
  {
    id: 'trains',
    kind: 'mathematics',
    prompt:
      'A train leaves at 9:10 at 80 km/h, another follows at 9:40 at 120 km/h on the same line. When and after how many kilometres does it catch up?',
  },
  {
    id: 'proof',
    kind: 'mathematics',
    prompt:
      'Prove that every continuous function on a compact metric space is uniformly continuous, and give a counterexample without compactness.',
  },
  {
    id: 'schedule',
    kind: 'reasoning',
    prompt:
      'Five talks, three rooms, two slots. A and B share a speaker, C needs the large room, D must come before E, and B must not be opposite C. Find all schedules, or show that there is none.',
  },
  {
    id: 'contract',
    kind: 'reasoning',
    prompt:
      'A contract says that either party may end it "with notice of three months to the end of a quarter". Notice was given on 2 April by mail and arrived on the 4th. When does it end? Name what is uncertain.',
  },
  {
    id: 'diagnosis',
    kind: 'reasoning',
    prompt:
      'Our service answers in 40 ms at noon and in 900 ms at night, while the load is a tenth. CPU is idle. List the likely causes in order, and for each the cheapest measurement that would confirm it.',
  },
  {
    id: 'history',
    kind: 'facts',
    prompt:
      'Why did the Hanseatic League lose its influence? Three reasons, each with the decade in which it began to matter.',
  },
];
