import { Box } from '@mantine/core';
import type { ReactNode } from 'react';

interface WideTableProps {
  /** What the table shows; readers without a mouse reach it to scroll. */
  label: string;
  /** In px; where there is less room, it scrolls sideways. */
  minWidth: number;
  children: ReactNode;
}

/** A table that scrolls sideways in a narrow window, also by the keyboard. */
export const WideTable = ({ label, minWidth, children }: WideTableProps) => (
  <div className="wide-table" tabIndex={0} role="region" aria-label={label}>
    <Box miw={minWidth}>{children}</Box>
  </div>
);
