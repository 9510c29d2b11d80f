import { Code, Table, Text } from '@mantine/core';
import Markdown, { type MarkdownToJSX, RuleType } from 'markdown-to-jsx/react';
import { memo, type ReactNode } from 'react';
import { CodeBlock, OutsideLink } from '../elements.js';
import { fill, texts } from '../../texts/texts.js';
import { ScrollRegion } from '../list-table.js';
import { type Citation, cutAtMarkers, openableUrl, type ShownSource } from './answer-parts.js';
import { cutAtFormulas, takeFormulas, withFormulas } from './formulas.js';
import { ColouredCode, Formula } from './late-parts.js';
import { SourceMarker } from './sources.js';

interface AnswerTextProps {
  text: string;
  sources?: readonly ShownSource[];
  citations?: readonly Citation[];
  /** Whether more of it is coming: marks that are not closed yet are then not shown. */
  isGrowing?: boolean;
}

/**
 * An answer as Markdown. Raw HTML stays text, nothing is loaded from other servers, and links say
 * where they lead; markers of sources open what the source says.
 */
export const AnswerText = memo(function AnswerText({
  text,
  sources = [],
  citations = [],
  isGrowing = false,
}: AnswerTextProps) {
  const { text: markdown, formulas } = takeFormulas(text);
  const options: MarkdownToJSX.Options = {
    disableParsingRawHTML: true,
    disableFrontmatter: true,
    forceBlock: true,
    optimizeForStreaming: isGrowing,
    overrides,
    renderRule: (next, node, _renderChildren, { key }) => {
      if (node.type === RuleType.text)
        return cutAtFormulas(node.text).map((piece, index) =>
          index % 2 === 0 ? (
            <MarkedText key={`${key}-${index}`} {...{ text: piece, sources, citations }} />
          ) : (
            <Formula key={`${key}-${index}`} formula={formulas[Number(piece)] ?? ''} />
          ),
        );
      if (node.type !== RuleType.codeBlock && node.type !== RuleType.codeInline) return next();
      const code = withFormulas(node.text, formulas);
      if (node.type === RuleType.codeInline) return <Code key={key}>{code}</Code>;
      return (
        <CodeBlock
          key={key}
          code={code}
          label={texts.playground.code}
          copy={texts.playground.copyCode}
        >
          <ColouredCode code={code} language={node.lang ?? ''} isGrowing={isGrowing} />
        </CodeBlock>
      );
    },
  };
  return (
    <div className="answer-text">
      <Markdown options={options}>{markdown}</Markdown>
    </div>
  );
});

type MarkedTextProps = Required<Omit<AnswerTextProps, 'isGrowing'>>;

function MarkedText({ text, sources, citations }: MarkedTextProps) {
  if (sources.length === 0) return text;
  const byId = new Map(sources.map((source) => [source.id, source]));
  return cutAtMarkers(text, (id) => byId.has(id)).map((piece, index) =>
    typeof piece === 'string' ? (
      piece
    ) : (
      <SourceMarker
        key={index}
        sources={piece.flatMap((id) => byId.get(id) ?? [])}
        citations={citations}
      />
    ),
  );
}

function Link({ href, children }: { href?: string; children?: ReactNode }) {
  const url = openableUrl(href);
  if (url === null) return <span>{children}</span>;
  return (
    <OutsideLink inherit href={url} title={url}>
      {children}
    </OutsideLink>
  );
}

/** A picture of an answer is not loaded: its address could tell somebody that it was shown. */
const Picture = ({ src, alt }: { src?: string; alt?: string }) => (
  <Link href={src}>{fill(texts.playground.picture, { name: alt || (src ?? '') })}</Link>
);

const heading = ({ children }: { children?: ReactNode }) => (
  <Text component="p" fw={700} mt="sm" mb={4}>
    {children}
  </Text>
);

const overrides: MarkdownToJSX.Overrides = {
  a: Link,
  img: Picture,
  table: ({ children }: { children?: ReactNode }) => (
    <ScrollRegion label={texts.playground.table}>
      <Table withTableBorder withColumnBorders w="auto">
        {children}
      </Table>
    </ScrollRegion>
  ),
  // the page has its own headings; an answer's are only strong text, so that its outline stays
  ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((tag) => [tag, heading])),
};
