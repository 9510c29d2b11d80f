import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type MouseEvent, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { basePath } from '../../api/client.js';
import { Loaded } from '../../components/loaded.js';
import { Page } from '../../components/page.js';
import { texts } from '../../texts/texts.js';

const text = texts.reference;

/** The page `/reference/<group>`: the gateway's page `/docs/<group>` in the dashboard. */
export default function ReferencePage() {
  const group = useLocation()[0].split('/')[2] ?? '';
  const page = useQuery({
    queryKey: ['reference', group],
    queryFn: () => readReference(`${basePath}/docs${group === '' ? '' : `/${group}`}`),
    staleTime: 'static',
  });
  const openApi = (
    <Anchor size="sm" href={`${basePath}/openapi.json`}>
      {text.openApi}
    </Anchor>
  );
  return (
    <Page title={text.title} lead={text.lead} actions={openApi}>
      <Loaded query={page} lines={8}>
        {(reference) => <Content key={group} {...reference} />}
      </Loaded>
    </Page>
  );
}

interface Reference {
  /** The contents and the operations. */
  readonly content: Element | null;
  /** The page's own style sheet. */
  readonly style: string;
}

/** @throws Error if the gateway does not send the page */
async function readReference(url: string): Promise<Reference> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: HTTP ${answer.status}`);
  const [before = '', style = '', after = ''] = (await answer.text()).split(/<\/?style>/);
  // the security policy would refuse an element with styles, even in a document that is not shown
  // the dashboard has a main part of its own
  const whole = (before + after).replaceAll(/<(\/?)main>/g, '<$1div>');
  const page = new DOMParser().parseFromString(whole, 'text/html');
  return { content: page.querySelector('.columns'), style };
}

function Content({ content, style }: Reference) {
  const place = useRef<HTMLDivElement>(null);
  const [, navigate] = useLocation();
  useEffect(() => {
    const { current } = place;
    if (!current || !content) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`@scope (.reference) { ${style} }`);
    document.adoptedStyleSheets.push(sheet);
    current.replaceChildren(document.importNode(content, true));
    void addTryIt(current).then(() => show(current, location.hash));
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    };
  }, [content, style]);
  const follow = (event: MouseEvent<HTMLDivElement>): void => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="docs/"]') : null;
    const [path = '', hash = ''] =
      link?.getAttribute('href')?.slice('docs'.length).split('#') ?? [];
    if (path === '') return;
    event.preventDefault();
    navigate(`/reference${path}${hash === '' ? '' : `#${hash}`}`);
    show(event.currentTarget, `#${hash}`);
  };
  return <div ref={place} className="reference" onClick={follow} />;
}

/** Brings what a hash names into sight, also where it is folded. */
function show(within: Element, hash: string): void {
  const target = within.querySelector(`[id="${CSS.escape(hash.slice(1))}"]`);
  target?.closest('details')?.setAttribute('open', '');
  target?.scrollIntoView();
}

/** The script of `/docs`, which is a program of its own, adds its forms to this page too. */
async function addTryIt(to: HTMLElement): Promise<void> {
  const url = `${basePath}/docs/try-it.js`;
  const script = (await import(
    /* @vite-ignore */ url
  )) as typeof import('../../reference/try-it.js');
  script.addForms(to, to);
}
