// The script of the last page of a window that was opened beside the widget. Where the
// browser does not close it, the page says to.

window.close();
