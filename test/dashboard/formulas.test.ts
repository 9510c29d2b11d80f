import { describe, expect, it } from 'vitest';
import { isColourable } from '../../src/dashboard/components/conversation/answer-parts.js';
import {
  cutAtFormulas,
  inAlphabet,
  takeFormulas,
  texOf,
  withFormulas,
} from '../../src/dashboard/components/conversation/formulas.js';

describe('the formulas of an answer', () => {
  it.each([
    [
      'all four forms',
      'a $x_1$ \\(y\\)\n\\[z\n+1\\]\n\n$$\nq\n$$',
      ['$x_1$', '\\(y\\)', '\\[z\n+1\\]', '$$\nq\n$$'],
    ],
    ['no prices', 'costs $5 and $10, US$5-$10, $ 5$, 6 $', []],
    [
      'those that end in other letters or signs, with a letter behind them',
      '$Δ$G, two $σ$s, $90°$C, $|x|$s',
      ['$Δ$', '$σ$', '$90°$', '$|x|$'],
    ],
    ['none in names of variables', '$HOME/$USER or $PATH, then "$HOME", $A:$B, $5k-$x', []],
    ['none in pictures and addresses', '![a $x$](b.png) [c](https://d/e_(f)?$g=1&$h)', []],
    ['a formula after a price', '$5 is $x$', ['$x$']],
    ['none of marks that are escaped', '\\$x$ \\\\(y\\\\)', []],
    ['none across a blank line', '$a\n\nb$ \\(a\n \nb\\)', []],
    ['none that is not closed', 'so $x and \\(y and $$z', []],
    ['none without content', '$$ $$ \\( \\) $$$$', []],
    ['none in a list of prices', '- Price: $$\n- Price: $$\n- $$$ or $$', []],
    ['none in a fence', '```sh\necho $a$b\n```\n$c$\n~~~\n$x$\n```\n~~~\n$d$', ['$c$', '$d$']],
    ['none in a fence of a list or a quote', '- ```\n  $a$\n  ```\n> ~~~\n> $b$', []],
    ['none that reaches into code', 'costs $5 `a$b` c$', []],
    ['none in addresses', '[a](/b?$c=$d) https://a.org/?$e=1&$f', []],
    ['the outer one', '\\[a \\text{ if \\(x\\) $y$ }\\]', ['\\[a \\text{ if \\(x\\) $y$ }\\]']],
    [
      'those with line ends',
      '$$\\begin{a}\na \\\\[2pt]\n\\end{a}$$',
      ['$$\\begin{a}\na \\\\[2pt]\n\\end{a}$$'],
    ],
    ['those between other letters', 'the $n$th **$k$**|$a|b$|', ['$n$', '$k$', '$a|b$']],
  ])('are: %s', (_what, text, formulas) => {
    const taken = takeFormulas(text);
    expect(taken.formulas).toEqual(formulas);
    expect(cutAtFormulas(taken.text)).toHaveLength(2 * formulas.length + 1);
    expect(withFormulas(taken.text, taken.formulas)).toBe(text);
  });

  it('lose their marks, and those of a quote', () => {
    expect(['$a$', '\\(a\\)', '$$a$$', '\\[a\n> b\\]'].map(texOf)).toEqual([
      'a',
      'a',
      'a',
      'a\n b',
    ]);
    expect(texOf('$$\na\n> b$$')).toBe('\na\n> b');
  });

  it('have letters of other alphabets', () => {
    expect(inAlphabet('RAb1', 'double-struck')).toBe('ℝ𝔸𝕓1');
    expect(inAlphabet('LAz', 'script')).toBe('ℒ𝒜𝓏');
    expect(inAlphabet('gZ', 'fraktur')).toBe('𝔤ℨ');
    expect(inAlphabet('R', 'bold')).toBe('R');
  });

  it('are found in one pass, whatever is repeated', () => {
    const bits = [
      '$',
      '$a ',
      '$a',
      '$x$ ',
      '`',
      '\\',
      '\\(',
      '\\[a ',
      '$$\na $$ ',
      '](',
      '](a',
      '\n',
      '> ',
      '- ',
      '```\n',
      '~~~',
      '$$a\n\n',
      'x $$ ',
      '1. ',
      '\\[ \\]',
      ' ',
      'https://a$',
    ];
    for (const bit of bits) {
      const start = performance.now();
      takeFormulas(bit.repeat(1_000_000 / bit.length));
      expect(performance.now() - start, bit).toBeLessThan(2_000);
    }
  });
});

describe('the colours of code', () => {
  it('are known of each language that is said to have some', async () => {
    // by a name that the type checker does not follow: its types are those of a browser
    const name: string = 'lowlight';
    const { common, createLowlight } = (await import(name)) as {
      common: object;
      createLowlight: (grammars: object) => { registered: (language: string) => boolean };
    };
    const { registered } = createLowlight(common);
    const names = [...Object.keys(common), 'c#', 'c++', 'html', 'JSX', 'py', 'sh', 'yml'];
    const coloured = names.filter(isColourable);
    expect(coloured.length).toBeGreaterThan(30);
    expect(coloured.filter((one) => !registered(one.toLowerCase()))).toEqual([]);
    expect(['', 'mermaid', 'text', 'constructor'].filter(isColourable)).toEqual([]);
  });
});
