import { Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Note } from './elements.js';

interface FigureTileProps {
  label: string;
  /** With its unit. */
  value: string;
  /** What it is beside, or made of. */
  detail: string;
  children?: ReactNode;
}

/** One figure in a box. */
export const FigureTile = ({ label, value, detail, children }: FigureTileProps) => (
  <Paper withBorder p="sm">
    <Note>{label}</Note>
    <Text size="xl" fw={650} className="figures" lh={1.3}>
      {value}
    </Text>
    <Note className="figures">{detail}</Note>
    {children}
  </Paper>
);
