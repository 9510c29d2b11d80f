import { Badge, Button, Group, Popover, Stack, Text } from '@mantine/core';
import { Caption, Hint, OutsideLink } from '../elements.js';
import { texts } from '../../texts/texts.js';
import {
  type Citation,
  hostOf,
  openableUrl,
  type ShownSource,
  type Verification,
  verificationOf,
} from './answer-parts.js';

const { sources: words } = texts.playground;

interface CitedProps {
  sources: readonly ShownSource[];
  citations: readonly Citation[];
}

/** The sources of an answer as chips; each opens what it says and whether that was checked. */
export function SourceChips({ sources, citations }: CitedProps) {
  if (sources.length === 0) return null;
  return (
    <Group gap={6} component="ul" className="plain-list" aria-label={words.label}>
      {sources.map((source, index) => (
        <li key={source.id ?? index}>
          <SourceButton
            sources={[source]}
            citations={citations}
            label={`${source.id ?? index + 1} ${hostOf(source.url)}`}
            mark={verificationOf(citationsOf(source, citations))}
          />
        </li>
      ))}
    </Group>
  );
}

/** A marker in the text, such as `[1]`. */
export const SourceMarker = ({ sources, citations }: CitedProps) => (
  <SourceButton
    sources={sources}
    citations={citations}
    label={sources.map(({ id }) => id).join(', ')}
    isInline
  />
);

interface SourceButtonProps extends CitedProps {
  label: string;
  mark?: Verification;
  isInline?: boolean;
}

function SourceButton({ sources, citations, label, mark, isInline = false }: SourceButtonProps) {
  const names = sources.map(({ title, url }) => title || hostOf(url)).join('; ');
  return (
    <Popover width={360} position="bottom-start" withArrow shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button
          size="compact-xs"
          variant={isInline ? 'light' : 'default'}
          className={isInline ? 'source-marker' : undefined}
          aria-label={`${words.source} ${label}: ${names}`}
          rightSection={mark === 'text' || mark === 'provider' ? <Check /> : null}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="md">
          {sources.map((source) => (
            <SourceCard
              key={source.url}
              source={source}
              citations={citationsOf(source, citations)}
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

const Check = () => (
  <Text span c="var(--good-color)" role="img" aria-label={words.verified.text}>
    ✓
  </Text>
);

const citationsOf = ({ id }: ShownSource, citations: readonly Citation[]): Citation[] =>
  citations.filter(({ source }) => source === id);

function SourceCard({ source, citations }: { source: ShownSource; citations: Citation[] }) {
  const { title, url, snippet } = source;
  const href = openableUrl(url);
  const verified = verificationOf(citations);
  const quotes = [...new Set(citations.map(({ quote }) => quote).filter((one) => one !== ''))];
  return (
    <Stack gap={6}>
      <Caption>{title || hostOf(url)}</Caption>
      {href === null ? (
        <Text size="xs">{url}</Text>
      ) : (
        <OutsideLink href={href} size="xs">
          {url}
        </OutsideLink>
      )}
      <Badge variant="default" size="sm" tt="none">
        {verified === 'text' || verified === 'provider' ? '✓ ' : ''}
        {words.verified[verified]}
      </Badge>
      {quotes.slice(0, 4).map((quote) => (
        <Text key={quote} size="sm" component="blockquote" className="quote">
          “{quote}”
        </Text>
      ))}
      {quotes.length === 0 && snippet !== '' ? <Hint lineClamp={4}>{snippet}</Hint> : null}
    </Stack>
  );
}
