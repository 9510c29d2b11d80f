import {
  Anchor,
  type AnchorProps,
  Badge,
  Box,
  Button,
  Code,
  type CodeProps,
  CopyButton,
  Group,
  Paper,
  Stack,
  Text,
  type TextProps,
} from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { texts } from '../texts/texts.js';
import { sparkline } from './chart-columns.js';

/** A remark in small pale text. */
export const Note = Text.withProps({ size: 'xs', c: 'dimmed' });

/** What explains the page, in pale text. */
export const Hint = Text.withProps({ size: 'sm', c: 'dimmed' });

/** What heads a part of a panel or of a row. */
export const Caption = Text.withProps({ size: 'sm', fw: 600 });

/** Text with its own line breaks, broken anywhere if it must be. */
export const PlainText = Text.withProps({ size: 'sm', className: 'text-plain' });

interface LongTextProps extends TextProps {
  children: string;
}

/** A text that others wrote, such as why they failed: folded where it is very long. */
export function LongText({ children, ...props }: LongTextProps) {
  const [isWhole, setWhole] = useState(false);
  const isLong = children.length > 600;
  return (
    <>
      <PlainText {...props} {...(isLong && !isWhole ? { lineClamp: 5 } : {})}>
        {children}
      </PlainText>
      {isLong ? (
        <CompactButton aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? texts.common.showLess : texts.common.showAll}
        </CompactButton>
      ) : null}
    </>
  );
}

/** A button beside others, such as those of a row. */
export const SmallButton = Button.withProps({ size: 'xs', variant: 'default' });

/** A button in a line of text or under an answer. */
export const CompactButton = Button.withProps({ size: 'compact-sm', fz: 'xs', variant: 'default' });

interface PageLinkProps extends AnchorProps {
  /** The path of a page of the dashboard; null: there is none, and the words stand alone. */
  href: string | null;
  children: ReactNode;
}

/** A link to another page of the dashboard. */
export const PageLink = ({ href, ...props }: PageLinkProps) =>
  href === null ? props.children : <Anchor component={Link} href={href} {...props} />;

/** A link to another site, in a window of its own. */
export const OutsideLink = Anchor.withProps({ target: '_blank', rel: 'noopener noreferrer' });

interface CodeRegionProps extends CodeProps {
  /** What it is; readers without a mouse reach it to scroll. */
  label: string;
  children: ReactNode;
}

/** A block of code that also the keyboard scrolls. */
export const CodeRegion = ({ label, ...props }: CodeRegionProps) => (
  <Code block tabIndex={0} role="group" aria-label={label} {...props} />
);

/** The choices of a list with their texts, in the order of the texts. */
export const optionsOf = <Value extends string>(labels: Readonly<Record<Value, string>>) =>
  (Object.keys(labels) as Value[]).map((value) => ({ value, label: labels[value] }));

interface StateBadgeProps {
  /** A colour of the theme; the words carry the meaning. */
  color: string;
  label: string;
  /** Without a border, as what is as it should be among what is not. */
  isQuiet?: boolean;
}

/** A state in words with a coloured dot: white words on green would be too pale. */
export const StateBadge = ({ color, label, isQuiet = false }: StateBadgeProps) => (
  <Badge
    {...(isQuiet ? { bd: '1px solid transparent', bg: 'none', fw: 400 } : {})}
    variant="default"
    tt="none"
    miw="max-content"
    leftSection={<Box w={8} h={8} bdrs="xl" bg={`var(--mantine-color-${color}-6)`} />}
  >
    {label}
  </Badge>
);

/** A colour of a chart with what it stands for. */
export const Swatch = ({ color, children }: { color: string; children: ReactNode }) => (
  <Group gap={6} wrap="nowrap" miw={0}>
    <Box w={10} h={10} bg={color} style={{ borderRadius: 2, flexShrink: 0 }} />
    <Text size="xs" className="text-plain">
      {children}
    </Text>
  </Group>
);

/** A figure or a fact below what it is. */
export const Labelled = ({ label, children }: { label: string; children: ReactNode }) => (
  <Stack gap={0} miw={0}>
    <Note>{label}</Note>
    <PlainText component="div" className="figures text-plain">
      {children}
    </PlainText>
  </Stack>
);

interface FigureTileProps {
  label: string;
  /** With its unit. */
  value: string;
  /** What it is beside, or made of. */
  detail: string;
  /** The figure over time, drawn as a line; null: nothing was measured. */
  history?: readonly (number | null)[];
  children?: ReactNode;
}

/** One figure in a box. */
export const FigureTile = ({ label, value, detail, history, children }: FigureTileProps) => (
  <Paper withBorder p="sm" display="flex" style={{ flexDirection: 'column' }}>
    <Note>{label}</Note>
    <Text size="xl" fw={650} className="figures" lh={1.3}>
      {value}
    </Text>
    <Note className="figures">{detail}</Note>
    {children}
    {history === undefined ? null : (
      <svg
        viewBox="0 0 100 24"
        preserveAspectRatio="none"
        height={24}
        className="sparkline"
        aria-hidden
      >
        <polyline points={sparkline(history)} vectorEffect="non-scaling-stroke" />
      </svg>
    )}
  </Paper>
);

/** A button that copies a text. */
export function CopyText({ value, label = texts.common.copy }: { value: string; label?: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <CompactButton onClick={copy} aria-live="polite">
          {copied ? texts.common.copied : label}
        </CompactButton>
      )}
    </CopyButton>
  );
}

interface CodeBlockProps extends Pick<CodeRegionProps, 'label'> {
  code: string;
  /** What the button says. */
  copy?: string;
  /** How the code is shown, where that is not plain. */
  children?: ReactNode;
}

/** A block of code below a button that copies it. */
export const CodeBlock = ({ code, label, copy, children = code }: CodeBlockProps) => (
  <Stack gap={4} my={4}>
    <Group justify="flex-end">
      <CopyText value={code} label={copy} />
    </Group>
    <CodeRegion label={label}>{children}</CodeRegion>
  </Stack>
);
