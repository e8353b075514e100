// Package page is what zbench's pages have in common: how they look.
package page

import (
	_ "embed" // for the style
	"html/template"
)

//go:embed style.css
var style string

// Style is for light and dark screens, wide and narrow ones, and paper. It needs
// nothing from the network.
var Style = template.CSS(style)
