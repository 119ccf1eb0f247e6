"""Charts that pages share: a curve drawn here, and the pictures of scores that are drawn elsewhere."""

from ui.charts.curve import CurvePoint, CurveView
from ui.charts.pictures import PictureView

__all__ = ["CurvePoint", "CurveView", "PictureView"]
