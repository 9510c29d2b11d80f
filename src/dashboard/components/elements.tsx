import { Anchor, type AnchorProps, Button, Code, type CodeProps, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

/** A remark in small pale text. */
export const Note = Text.withProps({ size: 'xs', c: 'dimmed' });

/** What explains the page, in pale text. */
export const Hint = Text.withProps({ size: 'sm', c: 'dimmed' });

/** Text with its own line breaks, broken anywhere if it must be. */
export const PlainText = Text.withProps({ size: 'sm', className: 'text-plain' });

/** A button beside others, such as those of a row. */
export const SmallButton = Button.withProps({ size: 'xs', variant: 'default' });

/** A button in a line of text or under an answer. */
export const CompactButton = Button.withProps({ size: 'compact-sm', variant: 'default' });

interface PageLinkProps extends AnchorProps {
  /** The path of a page of the dashboard. */
  href: string;
  children: ReactNode;
}

/** A link to another page of the dashboard. */
export const PageLink = (props: PageLinkProps) => <Anchor component={Link} size="sm" {...props} />;

interface CodeRegionProps extends CodeProps {
  /** What it is; readers without a mouse reach it to scroll. */
  label: string;
  children: ReactNode;
}

/** A block of code that also the keyboard scrolls. */
export const CodeRegion = ({ label, ...props }: CodeRegionProps) => (
  <Code block tabIndex={0} role="region" aria-label={label} {...props} />
);

/** The choices of a list with their texts, in the order of the texts. */
export const optionsOf = <Value extends string>(labels: Readonly<Record<Value, string>>) =>
  (Object.keys(labels) as Value[]).map((value) => ({ value, label: labels[value] }));
