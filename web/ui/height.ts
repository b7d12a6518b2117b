// The page around a frame gives it the height that it asks for. That may give the page a scroll
// bar, which makes the frame narrower. Where the content is lower then, as at a width where the
// layout changes, the bar would go and come without end.

const barWidth = 40; // of the widest scroll bar, in pixels, with room for a page that is zoomed out

// steadyHeight returns a function from a frame's width and the height of its content to the
// height to ask for. At about the same width, only a change of the content makes the frame lower.
export function steadyHeight(): (width: number, content: number) => number {
  let about = -barWidth;
  let last = { width: 0, content: 0, height: 0 };
  return (width, content) => {
    let height = content;
    if (Math.abs(width - about) >= barWidth) about = width;
    else if (width !== last.width) height = Math.max(content, last.height);
    else if (content === last.content) height = last.height;
    last = { width, content, height };
    return height;
  };
}
