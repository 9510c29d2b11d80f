import { Badge, Box } from '@mantine/core';

interface StateBadgeProps {
  /** A colour of the theme; the words carry the meaning. */
  color: string;
  label: string;
}

/** A state in words with a coloured dot: white words on green would be too pale. */
export const StateBadge = ({ color, label }: StateBadgeProps) => (
  <Badge
    variant="default"
    tt="none"
    miw="max-content"
    leftSection={<Box w={8} h={8} bdrs="xl" bg={`var(--mantine-color-${color}-6)`} />}
  >
    {label}
  </Badge>
);
