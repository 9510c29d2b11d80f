import { Table, type TableProps } from '@mantine/core';

interface ScrollingTableProps extends TableProps {
  /** Below this width it scrolls. */
  least: number;
  /** Above this height it scrolls. */
  most?: number;
}

/** A table that scrolls where there is no room for it, with the keyboard too. */
export function ScrollingTable({ least, most, ...table }: ScrollingTableProps) {
  return (
    <Table.ScrollContainer
      minWidth={least}
      scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
      {...(most === undefined ? {} : { maxHeight: most })}
    >
      <Table stickyHeader={most !== undefined} {...table} />
    </Table.ScrollContainer>
  );
}
