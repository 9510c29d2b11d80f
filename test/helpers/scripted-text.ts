const sentences = [
  'A signal box is where a railway chooses the track for each train.',
  'The brown fox, which had been asleep since noon, jumped over the lazy dog.',
  'It was very, very late when the last of them had had enough.',
  'In 1843 Ada Lovelace described how a machine could compose music.',
  'Água mole em pedra dura tanto bate até que fura.',
  'Über den Wolken muss die Freiheit wohl grenzenlos sein.',
  'Don’t panic: the answer is 42, and 42 again.',
  'We tried it 3 times; 3 times it failed, and then it worked.',
  '春眠不觉晓，处处闻啼鸟。夜来风雨声，花落知多少。',
  'The party 🎉🎉🎉 went on until the morning 🌅, said the 👩‍👩‍👧 next door.',
  'He said: "so be it", and so it was; so on and so forth.',
];

const blocks = [
  '```python\ndef gcd(a, b):\n    while b:\n        a, b = b, a % b\n    return a\n\n\nprint(gcd(12, 18))\n```',
  '```ts\nexport function add(a: number, b: number): number {\n  if (a === 0) {\n    return b;\n  }\n  return add(a - 1, b + 1);\n}\n```',
  '```\nnpm ci\nnpm test\n```',
  '```json\n{\n  "items": [0, 0, 0, 1],\n  "pairs": [[1, 1], [1, 1]],\n  "name": "first"\n}\n```',
  '| Model | Price | Speed |\n| --- | --- | --- |\n| small | 1 | fast |\n| middle | 10 | fast |\n| large | 10 | slow |',
  '| a | b |\n|---|---|\n| 0 | 0 |\n| 0 | 1 |\n| 1 | 1 |',
  '- First, open the box.\n- Second, take out the parts:\n  - the wheel,\n  - the lever.\n- Third, put them together.',
  '1. Step one: read the plan.\n2. Step two: read it again.\n3. Step three: begin.\n\n---',
  '## What is left\n\n> A quote, on one line,\n> and on the next one.\n\n### What is not',
  '$$\\int_0^1 x^2 \\, dx = \\frac{1}{3}$$',
];

/**
 * A text as models write it: prose, then code, lists, tables and more prose, with nothing twice.
 * @param random as `seeded`
 */
export function scriptedText(random: () => number): string {
  const shuffled = (list: readonly string[]): string[] =>
    list
      .map((one) => ({ one, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ one }) => one);
  const [opening, ...said] = shuffled(sentences);
  const parts = shuffled([...blocks, ...said]).slice(0, 2 + Math.floor(random() * 5));
  const isProse = (part: string): boolean => sentences.includes(part);
  return [opening!, ...parts].reduce((text, part, at, all) => {
    const goesOn = isProse(part) && isProse(all[at - 1]!);
    return `${text}${goesOn ? ' ' : '\n\n'}${part}`;
  });
}
