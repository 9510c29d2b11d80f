import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type MouseEvent, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { basePath, send } from '../../api/client.js';
import { importPart } from '../../api/connection.js';
import { isMissing } from '../../api/failure.js';
import { Loaded } from '../../components/loaded.js';
import { Page } from '../../components/page.js';
import { texts } from '../../texts/texts.js';

const text = texts.reference;

/** The page `/reference/<group>`: the gateway's page `/docs/<group>` in the dashboard. */
export default function ReferencePage() {
  const group = useLocation()[0].split('/')[2] ?? '';
  const page = useQuery({
    queryKey: ['reference', group],
    queryFn: () => readReference(group),
    // read again only while it could not be read
    staleTime: ({ state }) => (state.data ? 'static' : 0),
  });
  const openApi = <Anchor href={`${basePath}/openapi.json`}>{text.openApi}</Anchor>;
  const [title, lead] = page.data?.isUnknown
    ? [texts.common.notFound, text.unknown]
    : [texts.navigation.reference, text.lead];
  return (
    <Page title={title} lead={lead} actions={openApi}>
      <Loaded query={page} lines={8}>
        {(reference) => <Content key={group} {...reference} />}
      </Loaded>
    </Page>
  );
}

interface Reference {
  /** The contents and the operations; of an unknown group the contents alone. */
  readonly content: Element | null;
  /** The page's own style sheet. */
  readonly style: string;
  readonly isUnknown: boolean;
}

/** @throws ApiFailure if the gateway does not send the page */
async function readReference(group: string): Promise<Reference> {
  const url = `${basePath}/docs${group === '' ? '' : `/${group}`}`;
  // programs are asked for a key at a path that does not exist
  const answer = await send(url, { headers: { accept: 'text/html' } }).catch((error: unknown) => {
    if (group !== '' && isMissing(error)) return null;
    throw error;
  });
  if (!answer) return onlyContents(await readReference(''));
  const [before = '', style = '', after = ''] = (await answer.text()).split(/<\/?style>/);
  // the security policy would refuse an element with styles, even in a document that is not shown
  // the dashboard has a main part of its own
  const whole = (before + after).replaceAll(/<(\/?)main>/g, '<$1div>');
  const page = new DOMParser().parseFromString(whole, 'text/html');
  return { content: page.querySelector('.columns'), style, isUnknown: false };
}

/** The links to all groups, without the operations of the one that a page shows. */
function onlyContents({ content, style }: Reference): Reference {
  const contents = content?.querySelector('nav') ?? null;
  contents?.querySelectorAll('div > a').forEach((link) => link.remove());
  contents?.querySelector('[aria-current]')?.removeAttribute('aria-current');
  return { content: contents, style, isUnknown: true };
}

function Content({ content, style, isUnknown }: Reference) {
  const place = useRef<HTMLDivElement>(null);
  const [, navigate] = useLocation();
  useEffect(() => {
    const { current } = place;
    if (!current || !content) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`@scope (.reference) { ${style} }`);
    document.adoptedStyleSheets.push(sheet);
    current.replaceChildren(document.importNode(content, true));
    const forms = isUnknown ? Promise.resolve() : addTryIt(current);
    void forms.then(() => show(current, location.hash));
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    };
  }, [content, style, isUnknown]);
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
  type Script = typeof import('../../reference/try-it.js');
  const script = await importPart(() => import(/* @vite-ignore */ url) as Promise<Script>);
  script.addForms(to, to);
}
