import { memo, Suspense, use, useEffect, useState } from 'react';
import { isColourable } from './answer-parts.js';
import { inAlphabet, texOf } from './formulas.js';
import { texts } from '../../texts/texts.js';

/** Longer code stays plain, and a longer formula as it was written. In characters. */
const longest = { code: 20_000, line: 1_000, formula: 5_000 };

/** Code that grows is coloured when nothing came for this long, so not with each of its pieces. */
const settledMs = 300;

interface ColouredCodeProps {
  code: string;
  language: string;
  isGrowing: boolean;
}

/** Code in colours, as far as it is coloured yet. */
export function ColouredCode({ code, language, isGrowing }: ColouredCodeProps) {
  const end = code.trimEnd();
  const [settled, settle] = useState(isGrowing ? '' : end);
  useEffect(() => {
    const timer = setTimeout(() => settle(end), settledMs);
    return () => clearTimeout(timer);
  }, [end]);
  const isPlain =
    !isColourable(language) ||
    code.length > longest.code ||
    code.split('\n').some((line) => line.length > longest.line);
  if (isPlain || settled === '' || !code.startsWith(settled)) return code;
  return (
    <>
      <Suspense fallback={settled}>
        <Coloured code={settled} language={language.toLowerCase()} />
      </Suspense>
      {code.slice(settled.length)}
    </>
  );
}

/** Null: it cannot be loaded, as after an upgrade; what it would have shown stays as it is. */
let colours: Promise<typeof import('./code-colours.js') | null> | undefined;

const Coloured = memo(function Coloured({ code, language }: Omit<ColouredCodeProps, 'isGrowing'>) {
  const library = use((colours ??= import('./code-colours.js').catch(() => null)));
  if (!library) return code;
  return library.colourCode(language, code).map(({ text, kind }, index) => (
    <span key={index} className={kind}>
      {text}
    </span>
  ));
});

const definition = /\\([egx]?def|(future)?let|(re)?newcommand|providecommand)\b/;

/** A formula; as it was written until it can be shown, and where it cannot. */
export const Formula = memo(function Formula({ formula }: { formula: string }) {
  // macros could make a short one as long as they like
  if (formula.length > longest.formula || definition.test(formula)) return formula;
  return (
    <Suspense fallback={formula}>
      <Drawn formula={formula} />
    </Suspense>
  );
});

let katex: Promise<typeof import('katex') | null> | undefined;

function Drawn({ formula }: { formula: string }) {
  const library = use((katex ??= import('katex').catch(() => null)));
  if (!library) return formula;
  const { render } = library.default;
  const displayMode = /^(\$\$|\\\[)/.test(formula);
  const draw = (place: HTMLElement | null): void => {
    if (!place) return;
    try {
      render(texOf(formula), place, { ...limits, macros: { ...macros }, displayMode });
      for (const one of place.querySelectorAll('[mathvariant]:not(:has(*))'))
        one.textContent = inAlphabet(one.textContent, one.getAttribute('mathvariant') ?? '');
    } catch {
      place.textContent = formula;
    }
    // when all are drawn, because each measure makes the browser lay out the page
    requestAnimationFrame(() => {
      const room = place.closest('p, li, td, th, .answer-text')?.clientWidth ?? 0;
      const ariaLabel = texts.playground.formula;
      if (displayMode || place.offsetWidth > room)
        Object.assign(place, { className: 'formula', tabIndex: 0, role: 'group', ariaLabel });
    });
  };
  return <span ref={draw} />;
}

/** MathML alone, which needs no styles, and nothing that links, loads or grows without end. */
const limits = {
  output: 'mathml',
  strict: false,
  trust: false,
  maxSize: 20,
  maxExpand: 1_000,
  errorColor: 'currentColor',
} as const;

/** As they are, they would set styles, which the content security policy refuses. */
const macros = {
  '\\pmb': '\\boldsymbol{#1}',
  '\\fcolorbox': '\\@secondoftwo{#1}{\\colorbox{#2}{#3}}',
};
